"""Passes over a box cut by a plane."""
