"""Sequences: their model, dual points and projections."""
