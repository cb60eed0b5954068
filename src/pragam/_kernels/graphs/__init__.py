"""Graphs and forests: messages, and the best labelling."""
