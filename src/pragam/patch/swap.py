"""One class in the place of another, wherever scikit-learn's modules have it by name, and back.

Modules of scikit-learn that are loaded later import from ``sklearn.svm``, and so get what stands there. Names in other
modules are their owners': what was imported before the patch remains scikit-learn's.
"""

from __future__ import annotations

import copyreg
import sys
from importlib import import_module
from typing import Any

#: The classes that are replaced, and where ours are: loaded at first use, since they load scikit-learn.
_ROOMS = {"LinearSVC": "pragam.patch.linear_svc", "LinearSVR": "pragam.patch.linear_svr"}


def patch_sklearn() -> None:
    """From here on ``from sklearn.svm import LinearSVC, LinearSVR`` gives classes that pragam solves.

    Their parameters, defaults and attributes are scikit-learn's, and there are ``certificate_`` and pragam's methods
    besides. What pragam does not solve, such as ``penalty="l1"``, is fitted by scikit-learn's own class, with one
    warning. A second call changes nothing. Call it before the program imports the classes: a name that a module has
    already imported is not changed.
    """
    for name in _ROOMS:
        ours = _ours(name)
        _replace(ours.original, ours)
        copyreg.pickle(ours.original, _reduced)


def unpatch_sklearn() -> None:
    """scikit-learn's own classes are back in their places; models that were fitted meanwhile stay what they are."""
    if "sklearn.svm" not in sys.modules:
        return
    for name in _ROOMS:
        ours = _ours(name)
        _replace(ours, ours.original)
        copyreg.dispatch_table.pop(ours.original, None)


def _ours(name: str) -> Any:
    return getattr(import_module(_ROOMS[name]), name)


def _replace(old: type, new: type) -> None:
    for path, module in list(sys.modules.items()):
        if path.partition(".")[0] == "sklearn":
            for name, value in list(vars(module).items()):
                if value is old:
                    setattr(module, name, new)


def _reduced(model: Any) -> tuple[Any, ...]:
    """How pickle writes a model of scikit-learn's own class while ours stands under its name.

    pickle refuses a class that is not what its name says. So a program that imported the class before the patch could
    send no model to another process.
    """
    return empty_original, (type(model).__name__,), model.__getstate__()


def empty_original(name: str) -> Any:
    """A model of scikit-learn's own class that has no state yet: pickle calls this."""
    original = _ours(name).original
    return original.__new__(original)
