"""Two callbacks as one."""

from __future__ import annotations

import pytest

from pragam.estimators.callbacks import both


@pytest.mark.parametrize("first", [None, True, False])
@pytest.mark.parametrize("second", [None, True, False])
def test_both_asks_both(first, second):
    asked = []
    calls = [None if answer is None else lambda p, a=answer: (asked.append(p), a)[1] for answer in (first, second)]
    callback = both(*calls)
    assert (callback is None) == (calls == [None, None])
    assert callback is None or bool(callback("progress")) == bool(first or second)
    assert callback is None or asked == ["progress"] * (2 - calls.count(None))
