"""Kernels that walk over examples whose K dual variables move together."""
