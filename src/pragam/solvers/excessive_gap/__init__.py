"""PRAGAM: Nesterov's excessive gap on the primal and its adjoint, with a Euclidean or an entropic prox."""
