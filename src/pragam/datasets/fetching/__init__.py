"""From a file on record to a file at hand: places to look, checksums, downloads that resume."""
