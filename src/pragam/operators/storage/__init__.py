"""The data matrix X (n, d) as the user stores it, without a copy: dense, CSR, or the transpose of CSR (CSC).

All differences between the storages end here. Values may be float32 or float64. float32 is widened entry by entry
inside the products, and every sum is a float64 sum. Indices may be int32 or int64, and arrays may be read-only memory
maps. Entries of a sparse row may be unsorted, and repeated entries are added.

A storage bounds the rounding of its products for the certificates, by ``product_error``, ``adjoint_error``, a product
that follows its own rounding and products in twice the precision. A storage that cannot do so leaves ``rigorous``
False, and so is every certificate on it.
"""

from pragam.operators.storage.base import WALKING, Storage, as_vector
from pragam.operators.storage.block_kinds import InMemory, Mapped
from pragam.operators.storage.blocked import Blocked
from pragam.operators.storage.compressed import Csc, Csr
from pragam.operators.storage.dense import Dense
from pragam.operators.storage.gathered import Room
from pragam.operators.storage.known import Held
from pragam.operators.storage.readings import Visited
from pragam.operators.storage.rounds import Place, Places, each_place
from pragam.operators.storage.standardized import ColumnMap, Standardized
from pragam.operators.storage.with_constant import WithConstant

__all__ = [
    "WALKING", "Blocked", "ColumnMap", "Csc", "Csr", "Dense", "Held", "InMemory", "Mapped", "Place", "Places", "Room",
    "Standardized", "Storage", "Visited", "WithConstant", "as_vector", "each_place",
]  # fmt: skip
