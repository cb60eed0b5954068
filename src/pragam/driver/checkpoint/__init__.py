"""A solve on the disk: what it remembers, written while it runs, and read by the run that goes on."""
