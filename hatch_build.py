"""Puts kernels that were compiled beforehand into the wheel, which then is one for this platform.

``BERGE_KERNELS`` names the folder that ``berge warmup --save --folder`` has written. Without it the
wheel is pure Python.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import sys_tags


class KernelsHook(BuildHookInterface):
    """Hatchling's hook for the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the kernels, and the tag of the one Python and platform that they are for."""
        folder = os.environ.get("BERGE_KERNELS")
        if not folder or version == "editable":
            return
        tag = next(iter(sys_tags()))
        # They call nothing of the system but what the first glibc for x86-64 had; numba needs 2.27.
        platform = tag.platform.replace("linux_", "manylinux_2_27_")
        if tag.platform.startswith("manylinux"):
            platform = f"manylinux_2_27_{tag.platform.split('_', 3)[3]}"
        build_data["pure_python"] = False
        build_data["tag"] = f"{tag.interpreter}-{tag.abi}-{platform}"
        for name in ("index.json", "code.bin", "first.json", "first.so"):
            build_data["force_include"][str(Path(folder, name))] = f"berge/compile/shipped/{name}"
