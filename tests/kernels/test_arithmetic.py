"""The build refuses floating-point flags under which a certificate would prove nothing."""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

#: Of the checkout: an installed package has no headers.
HEADER = Path(__file__).resolve().parents[2] / "src" / "pragam" / "_kernels" / "common" / "arithmetic.hpp"
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
X86 = platform.machine() in ("x86_64", "AMD64")

pytestmark = [
    pytest.mark.skipif(not COMPILERS, reason="no compiler"),
    pytest.mark.skipif(not HEADER.exists(), reason="no checkout"),
]


def compile_with(compiler, *flags):
    command = [compiler, "-std=c++17", "-fsyntax-only", *flags, "-x", "c++", str(HEADER)]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    "flags",
    [
        ("-O2", "-ffp-contract=off", "-fno-trapping-math"),
        ("-ffast-math", "-fno-fast-math", "-fno-unsafe-math-optimizations", "-fno-finite-math-only"),
    ],
)
def test_right_flags_compile(compiler, flags):
    done = compile_with(compiler, *flags)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("flag", ["-ffast-math", "-Ofast", "-ffinite-math-only"])
def test_wrong_flags_are_refused(compiler, flag):
    done = compile_with(compiler, flag)
    assert done.returncode != 0 and "pragam needs" in done.stderr


@pytest.mark.skipif(not X86 or "g++" not in COMPILERS, reason="x87")
def test_x87_registers_are_refused():
    done = compile_with("g++", "-mfpmath=387")
    assert done.returncode != 0 and "x87" in done.stderr
