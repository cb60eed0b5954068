"""What the kernels of several families share: array types, threads, lanes, rows of X and random numbers."""
