"""The semismooth Newton method: its loops over rows, and all of it on a small dense matrix."""
