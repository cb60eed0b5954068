"""Sequences: the best labelling, marginals, the projection onto them, and ascent on distributions."""
