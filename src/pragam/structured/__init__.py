"""Structured output: sequences, and what projects onto their marginals."""

from pragam.structured.chain_projection import project_chain

__all__ = ["project_chain"]
