"""Loops over the blocks of models with a weight vector for each label: simplices, and pairs of labels."""
