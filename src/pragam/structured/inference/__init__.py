"""Inference on chains: best labellings, the k best, max-marginals, forward-backward."""
