"""``python -m pragam.patch script.py [arguments]``: a program whose LinearSVC and LinearSVR are solved by pragam.

The program itself is not changed. ``python -m pragam.patch -m module [arguments]`` runs a module.
"""

from __future__ import annotations

import os
import runpy
import sys

from pragam.patch import patch_sklearn

USAGE = "usage: python -m pragam.patch (script.py | -m module) [arguments of the program]"


def main(arguments: list[str]) -> int:
    """Patch scikit-learn and run the program; 2 if there is none. Its own exit status is an exception, and passes."""
    if arguments[:1] in (["-h"], ["--help"]):
        print(f"{USAGE}\n\n{__doc__}")
        return 0
    is_module = arguments[:1] == ["-m"]
    program = arguments[is_module : is_module + 1]
    if not program or program[0].startswith("-"):
        return _refuse(f"no program is named. {USAGE}")
    if not is_module and not os.path.exists(program[0]):
        return _refuse(f"{program[0]}: there is no such file")
    patch_sklearn()
    sys.argv = arguments[is_module:]
    if is_module:
        runpy.run_module(program[0], run_name="__main__", alter_sys=True)
    else:
        if not getattr(sys.flags, "safe_path", False):  # Python puts a script's folder first, and here stood ours
            sys.path[0] = os.path.dirname(os.path.realpath(program[0]))
        runpy.run_path(program[0], run_name="__main__")
    return 0


def _refuse(text: str) -> int:
    print(f"pragam.patch: {text}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
