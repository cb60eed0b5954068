"""Kernels on tokens: scikit-learn's as functions, their Gram matrices, Nystrom features, bandwidths, and JSON.

scikit-learn is imported when a kernel is used, not before.
"""

from pragam.structured.kernels.bandwidth import scaled_rbf
from pragam.structured.kernels.function import KernelFunction, dense, kernel_function
from pragam.structured.kernels.gram import Tokens, gram_matrix, kernel_scores
from pragam.structured.kernels.nystrom import TokenKernel
from pragam.structured.kernels.record import kernel_of, kernel_record

__all__ = [
    "KernelFunction",
    "TokenKernel",
    "Tokens",
    "dense",
    "gram_matrix",
    "kernel_function",
    "kernel_of",
    "kernel_record",
    "kernel_scores",
    "scaled_rbf",
]
