"""What the packing of rows does with keys, numbers and columns."""
