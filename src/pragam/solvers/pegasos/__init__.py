"""Stochastic and full subgradient steps, as the paper compares with."""
