"""The kernels' specifications in NumPy: same names, arguments and results, written to be short rather than fast.

The twin of ``family/kernel.cpp`` is ``family/kernel.py``.
"""

from pragam._kernels.blocks.momentum import *  # noqa: F403
from pragam._kernels.blocks.sweep import *  # noqa: F403
from pragam._kernels.chains.ascent import *  # noqa: F403
from pragam._kernels.chains.decoding import *  # noqa: F403
from pragam._kernels.chains.forward_backward import *  # noqa: F403
from pragam._kernels.chains.projection import *  # noqa: F403
from pragam._kernels.chains.values import *  # noqa: F403
from pragam._kernels.coordinate.cached_labellings import *  # noqa: F403
from pragam._kernels.coordinate.compact import *  # noqa: F403
from pragam._kernels.coordinate.momentum import *  # noqa: F403
from pragam._kernels.coordinate.single_rows import *  # noqa: F403
from pragam._kernels.coordinate.sweep import *  # noqa: F403
from pragam._kernels.flows.tables import *  # noqa: F403
from pragam._kernels.flows.visits import *  # noqa: F403
from pragam._kernels.graphs.forests import *  # noqa: F403
from pragam._kernels.graphs.messages import *  # noqa: F403
from pragam._kernels.labels.blocks import *  # noqa: F403
from pragam._kernels.labels.hessian import *  # noqa: F403
from pragam._kernels.labels.projections import *  # noqa: F403
from pragam._kernels.newton.boxes import *  # noqa: F403
from pragam._kernels.newton.dense import *  # noqa: F403
from pragam._kernels.packing.columns import *  # noqa: F403
from pragam._kernels.packing.narrowing import *  # noqa: F403
from pragam._kernels.packing.order import *  # noqa: F403
from pragam._kernels.products.dense import *  # noqa: F403
from pragam._kernels.products.outer import *  # noqa: F403
from pragam._kernels.products.selection import *  # noqa: F403
from pragam._kernels.products.sparse import *  # noqa: F403
from pragam._kernels.products.sums import *  # noqa: F403
from pragam._kernels.projections.box_plane import *  # noqa: F403
from pragam._kernels.rounding.columns import *  # noqa: F403
from pragam._kernels.rounding.running import *  # noqa: F403
from pragam._kernels.rounding.twofold import *  # noqa: F403
from pragam._kernels.subgradient.pegasos import *  # noqa: F403
from pragam._kernels.text.svmlight import *  # noqa: F403
