"""Dual coordinate ascent: sweeps over a box, their momentum, and steps over cached labellings."""
