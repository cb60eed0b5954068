"""scikit-build-core, whose metadata are given before the build.

Where a build may fail and be repeated without kernels, scikit-build-core compares the metadata that it gave before with
those of the wheel, and the tags differ. pip needs the name, the version and the dependencies alone, which do not.
"""

from __future__ import annotations

from typing import Any

from scikit_build_core import build
from scikit_build_core.build import (
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable", "build_sdist", "build_wheel", "get_requires_for_build_editable", "get_requires_for_build_sdist",
    "get_requires_for_build_wheel", "prepare_metadata_for_build_editable", "prepare_metadata_for_build_wheel",
]  # fmt: skip


def build_wheel(
    wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    return build.build_wheel(wheel_directory, config_settings)


def build_editable(
    wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    return build.build_editable(wheel_directory, config_settings)
