"""What a process shares: its processors (:mod:`pragam.runtime.threads`), its signals, and its standard error.

Kernels and operators ask for the first two, so this room lies below them, and not in the driver.
"""
