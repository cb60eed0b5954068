"""Products with a data matrix, its sums and norms, and copies of some of its rows."""
