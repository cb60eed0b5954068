"""The old place of models and fingerprints still works, and says where they are now."""

from __future__ import annotations

import importlib
import sys

import numpy as np
import pytest

from pragam import models
from pragam.samples.fingerprint import data_fingerprint


def test_the_old_place_warns_and_leads_to_the_new_one(monkeypatch):
    monkeypatch.delitem(sys.modules, "pragam.io", raising=False)
    with pytest.warns(DeprecationWarning, match=r"pragam\.models.*pragam\.samples"):
        old = importlib.import_module("pragam.io")
    assert old.load is models.load and old.Model is models.LinearModel
    assert old.load_liblinear is models.load_liblinear and old.save_liblinear is models.save_liblinear
    assert old.data_fingerprint(np.eye(2), [0, 1]) == data_fingerprint(np.eye(2), [0, 1])
