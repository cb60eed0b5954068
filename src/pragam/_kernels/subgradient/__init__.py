"""Stochastic subgradient steps."""
