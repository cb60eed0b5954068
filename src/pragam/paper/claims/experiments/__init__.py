"""Questions of the paper that need runs of their own. Deterministic, a few seconds each, made on demand:

    from pragam.paper.claims.experiments import lambda_dependence, row_correlation, thresholded_alpha

    lambda_dependence.verdicts()                                   # on a made problem; or (X, y, name) for another
    row_correlation.verdicts()                                     # made problems only
    thresholded_alpha.verdict(X, y, X_test, y_test, lam, name)     # on a data set

They count iterations, never seconds, so that they answer the same on every machine.
"""
