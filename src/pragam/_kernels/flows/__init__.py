"""Pairwise dual ascent on the unit flows of chains."""
