"""The reproduction of the paper, apart from the library: its theorems, the claims it makes, its figures.

Nothing but the command line imports this. The records of the paper's data sets stay in ``pragam.datasets``: they are
data sets by name like all others, whoever has imported what.
"""
