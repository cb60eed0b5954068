"""The kernels' specifications in NumPy: same names, arguments and results, written to be short rather than fast."""

from pragam._kernels.twins.acceleration import *  # noqa: F403
from pragam._kernels.twins.cached_labellings import *  # noqa: F403
from pragam._kernels.twins.chain_ascent import *  # noqa: F403
from pragam._kernels.twins.chain_values import *  # noqa: F403
from pragam._kernels.twins.chains import *  # noqa: F403
from pragam._kernels.twins.compact import *  # noqa: F403
from pragam._kernels.twins.coordinate import *  # noqa: F403
from pragam._kernels.twins.decoding import *  # noqa: F403
from pragam._kernels.twins.flow_tables import *  # noqa: F403
from pragam._kernels.twins.flows import *  # noqa: F403
from pragam._kernels.twins.forests import *  # noqa: F403
from pragam._kernels.twins.forward_backward import *  # noqa: F403
from pragam._kernels.twins.graph_messages import *  # noqa: F403
from pragam._kernels.twins.newton import *  # noqa: F403
from pragam._kernels.twins.newton_dense import *  # noqa: F403
from pragam._kernels.twins.pegasos import *  # noqa: F403
from pragam._kernels.twins.products import *  # noqa: F403
from pragam._kernels.twins.projections import *  # noqa: F403
from pragam._kernels.twins.rounding import *  # noqa: F403
from pragam._kernels.twins.running import *  # noqa: F403
from pragam._kernels.twins.selection import *  # noqa: F403
from pragam._kernels.twins.svmlight import *  # noqa: F403
