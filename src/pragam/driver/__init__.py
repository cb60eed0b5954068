"""From a problem to a certified result: the loop, what it records, several problems at once, paths, progress."""
