"""Records that kernels take in place of long lists of arguments. The compiled ones read them as tuples."""
