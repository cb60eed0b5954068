"""Sums and products that come with a bound of their rounding."""
