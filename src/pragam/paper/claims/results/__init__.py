"""The claims that an experiment decides: one file for a sentence of the paper, or for a few that belong together."""
