"""Data sets on the disk: a directory of chunks of about a megabyte, their rows shuffled, every byte with a checksum.

:func:`pragam.pack` writes one from blocks or files in bounded memory, and :func:`pragam.open_packed` opens it. A chunk
is plain ``.npy`` arrays, which are memory-mapped and verified when they are first read. ``manifest.json`` says what
there is.
"""

from pragam.packed.columns import Columns, columns_of
from pragam.packed.dataset import Packed, open_packed
from pragam.packed.packing import pack
from pragam.packed.spread import Spread

__all__ = ["Columns", "Packed", "Spread", "columns_of", "open_packed", "pack"]
