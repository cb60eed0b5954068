"""The momentum of coordinate ascent equals its NumPy twin, and gains what it says."""

from __future__ import annotations

import numpy as np
import pytest

from pragam import _kernels
from pragam._kernels import twins
from pragam._kernels.coordinate.records import ALPHA, LOWER, UPPER

from .ascent import KINDS, copies, problem, push_arguments
from .storages import STORAGES, N
from .test_coordinate import assert_equal, compiled

BOTH = [pytest.param(_kernels.get, id="in use"), pytest.param(lambda name: getattr(twins, name), id="twin")]


@pytest.fixture(params=STORAGES)
def storage(request):
    return STORAGES[request.param]


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


@compiled
@pytest.mark.parametrize("index", [np.int32, np.uint16])
def test_a_push_equals_its_twin(storage, kind, index):
    name, arrays = storage
    made = kept = 0
    for seed in range(60):
        raw = arrays(seed)
        if name == "csr":
            raw = (raw[0], raw[1].astype(index), raw[2])
        ours, theirs = (copies(push_arguments(seed, kind)) for _ in range(2))
        got = _kernels.get(f"momentum_push_{name}")(*raw, *ours)
        wanted = getattr(twins, f"momentum_push_{name}")(*raw, *theirs)
        assert got == pytest.approx(wanted, rel=1e-9, abs=1e-11)
        assert_equal(ours, theirs)
        made += got[0] > 0
        kept += got[0] > 0 and got[2]
    assert 0 < kept < made < 60  # steps with few rows and with many out of the box, and steps that were not made


@pytest.mark.parametrize("get", BOTH)
def test_a_push_gains_what_it_says_and_keeps_the_point_whole(get, storage, kind):
    """Where gain and slope are those of F: F rises by the gain, its slope along the new history is the one returned."""
    name, arrays = storage
    made = 0
    for seed in range(20):
        arguments = copies(push_arguments(seed, kind))
        F, table = problem(seed, kind)[2], arguments.variables.table
        alpha, before, h = table[:, ALPHA].copy(), arguments.points.before[:N], arguments.points.history[:N]
        value = F.value(arguments, alpha)
        gain = value - F.value(arguments, before)
        slope = F.slopes(arguments, before) @ h
        arguments = arguments._replace(ascent=arguments.ascent._replace(gain=float(gain), slope=float(slope)))
        gained, along, _ = get(f"momentum_push_{name}")(*arrays(seed), *arguments)
        now = table[:, ALPHA]
        size = 1 + abs(value)
        assert gained >= 0 and F.value(arguments, now) - value == pytest.approx(gained, rel=1e-6, abs=1e-9 * size)
        assert along == pytest.approx(F.slopes(arguments, now) @ arguments.points.history[:N], rel=1e-6, abs=1e-7)
        assert np.all((now >= table[:, LOWER]) & (now <= table[:, UPPER]))
        assert np.allclose(arguments.w, F.w(now)) and np.allclose(arguments.planes.running, F.running(now))
        made += gained > 0
    assert made > 0


@pytest.mark.parametrize("which", ["before", "step", "history"])
def test_a_push_needs_points_of_the_right_length(storage, kind, which):
    name, arrays = storage
    arguments = push_arguments(1, kind)
    wrong = arguments.points._replace(**{which: getattr(arguments.points, which)[:-1].copy()})
    with pytest.raises(ValueError):
        _kernels.get(f"momentum_push_{name}")(*arrays(1), *arguments._replace(points=wrong))
