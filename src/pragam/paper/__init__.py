"""The reproduction of the paper, apart from the library: its theorems, the claims it makes, its figures."""
