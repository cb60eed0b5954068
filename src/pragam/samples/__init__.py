"""What problems are posed on: rows, sequences and graphs, with the labels and weights that belong to them."""
