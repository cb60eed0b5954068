"""What the work of Gaussian-process solvers costs, in seconds of the machine of ``benchmarks/gp_sequences.py``."""

#: A multiplication and addition of a product with the Gram, in float32.
FLOP = 3e-11
#: One of forward-backward.
CHAIN_FLOP = 1e-9
