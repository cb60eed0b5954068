"""What all rooms count with: bounds of rounding, vectors, a search on slopes, and checks of arguments."""
