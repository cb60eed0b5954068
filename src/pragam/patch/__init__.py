"""scikit-learn's LinearSVC and LinearSVR, solved by pragam: programs that import them need not change.

>>> import pragam
>>> pragam.patch_sklearn()                                   # doctest: +SKIP
>>> from sklearn.svm import LinearSVC                        # doctest: +SKIP

``python -m pragam.patch script.py`` does the same for a whole program. The classes are scikit-learn's own, with another
``fit``: :class:`pragam.patch.linear_svc.LinearSVC` and :class:`pragam.patch.linear_svr.LinearSVR`.
"""

from pragam.patch.swap import patch_sklearn, unpatch_sklearn

__all__ = ["patch_sklearn", "unpatch_sklearn"]
