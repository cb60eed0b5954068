"""Graphs: their model, trees and messages, and projections onto clique marginals."""
