"""Makes the library of `first`: what `berge warmup --save` does after it has saved kernels.

All kernels that first answers call are put into one module, of which only they are seen from
outside; numba's wrappers for Python and all that nobody calls go. What is left may call the C
library and nothing else: of numba, counts of references, of which arrays from outside have none.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from llvmlite import binding
from numba import types

from . import first

__all__ = ["make"]

# Of the C library, which every Python has loaded. All are looked up when the library is.
_KNOWN = {"memset", "memcpy", "memmove", "clock_gettime", "hypot"}
_NOTHING = """
define linkonce_odr void @NRT_incref(ptr %0) { ret void }
define linkonce_odr void @NRT_decref(ptr %0) { ret void }
"""


def make(answers: Callable[[], object], folder: Path) -> int:
    """Record what kernels first answers call, and make the library; return how many there are.

    Where there is no linker, or one that cannot do it, none is made.
    """
    linker = shutil.which("ld")
    if linker is None:
        return 0
    assert first.recording is not None
    answers()
    kernels: dict[str, tuple[str, str, int]] = {}
    parts = []
    for (function, kinds), compiled in first.recording.items():
        returned, size = compiled.signature.return_type, 0  # 0 is no tuple
        if isinstance(returned, types.UniTuple):
            returned, size = returned.dtype, returned.count
        if str(returned) not in first.RESULTS or size > first.MOST_RESULTS:
            continue
        name = f"berge_{len(parts)}"
        module = _alone(compiled.library._final_module, compiled.fndesc.llvm_func_name, name)
        if module is not None:
            kernels[first.key_of(function, kinds)] = name, str(returned), size
            parts.append(module)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="berge-") as work:
        objects: list[str] = []
        for part in parts:
            path = Path(work, f"{len(objects)}.o")
            path.write_bytes(_machine().emit_object(part))
            objects.append(str(path))
        library = Path(work, first.LIBRARY)
        link = [linker, "-shared", "-s", "-z", "now", "-o", library, *objects]
        if subprocess.run(link, capture_output=True).returncode:
            return 0
        content = library.read_bytes()
    for name, data in (
        (first.LIBRARY, content),
        (first.INDEX, json.dumps({"check": zlib.crc32(content), "kernels": kernels}).encode()),
    ):
        new = folder / f"{name}.new"
        new.write_bytes(data)
        new.replace(folder / name)
    return len(kernels)


def _alone(module: Any, entry: str, name: str) -> Any:
    """Return a module that has one function under a new name, and what that calls.

    None if that is not all it needs.
    """
    text = str(module)
    # Counts of references do nothing, whatever they are linked to.
    for counted in ("NRT_incref", "NRT_decref"):
        text = re.sub(rf"define [^\n]*@{counted}\([^\n]*\{{\n.*?\n\}}\n", "", text, flags=re.DOTALL)
        text = re.sub(rf"declare [^\n]*@{counted}\([^\n]*\n", "", text)
    alone = binding.parse_assembly(text + _NOTHING)
    for item in [*alone.functions, *alone.global_variables]:
        if item.is_declaration:
            continue
        if item.name == entry:
            item.name = name
            item.linkage = "external"
        else:
            item.linkage = "internal"
    builder = binding.create_pass_builder(_machine(), binding.PipelineTuningOptions(speed_level=3))
    builder.getModulePassManager().run(alone, builder)
    outside = [f.name for f in [*alone.functions, *alone.global_variables] if f.is_declaration]
    whole = all(n.startswith("llvm.") or n in _KNOWN for n in outside)
    return alone if whole and any(f.name == name for f in alone.functions) else None


def _machine() -> Any:
    from numba.core.registry import cpu_target

    triple, cpu, features = cpu_target.target_context.codegen().magic_tuple()
    target = binding.Target.from_triple(triple)
    return target.create_target_machine(
        cpu=cpu, features=features, opt=3, reloc="pic", codemodel="default"
    )
