"""What a process shares: its processors (:mod:`pragam.runtime.threads`) and its signals.

Kernels and operators ask for both, so this room lies below them, and not in the driver.
"""
