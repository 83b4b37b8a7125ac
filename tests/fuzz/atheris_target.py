"""The same targets for atheris, which goes by the lines that an input reaches.

    python -m tests.fuzz.atheris_target TARGET [-max_total_time=60] [other options of libFuzzer's]
    python -m tests.fuzz.atheris_target all [-max_total_time=600]      each gets its share

Needs ``pip install atheris``. The first byte says which sound input to begin with, the second which
of its files gets the other bytes as its content. Kernels run as plain Python, so that their lines
count too. What is found is written where libFuzzer says; put it into tests/fuzz/corpus once mended.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["NUMBA_DISABLE_JIT"] = "1"

import atheris

with atheris.instrument_imports(include=["berge.files", "berge.cli.labels", "berge.distributed"]):
    from berge.files import limits

    from .fuzz import SHARED_MEMORY
    from .inputs import Files, make
    from .targets import TARGETS, put

BEGINNINGS = 32  # sound and damaged inputs to begin with
MEMORY = 1 << 24  # bytes that a file may ask for: plain Python takes its time for more
LIMITS = ["-timeout=10", "-rss_limit_mb=2048", "-max_len=4096"]


def files_of(target: str, data: bytes) -> Files:
    """Return the files that bytes stand for."""
    files = make(target, data[0])
    name = sorted(files)[data[1] % len(files)]
    return files | {name: data[2:]}


def main(target: str, settings: list[str]) -> None:
    """Fuzz one target until libFuzzer has had enough."""
    folder = Path(tempfile.mkdtemp())
    for seed in range(BEGINNINGS):
        for place, data in enumerate(dict(sorted(make(target, seed).items())).values()):
            (folder / f"{seed}-{place}").write_bytes(bytes([seed, place]) + data)
    limits.available = lambda: MEMORY
    here = Path(tempfile.mkdtemp(dir=SHARED_MEMORY if SHARED_MEMORY.is_dir() else None), "input")

    def once(data: bytes) -> None:
        if len(data) >= 2:
            here.mkdir()
            try:
                TARGETS[target](put(files_of(target, data), here))
            finally:
                shutil.rmtree(here)

    atheris.Setup([sys.argv[0], *LIMITS, *settings, str(folder)], once)
    atheris.Fuzz()


if __name__ == "__main__":
    chosen, *options = sys.argv[1:]
    if chosen == "all":
        total = int(options[0].removeprefix("-max_total_time=")) if options else 600
        share = f"-max_total_time={total // len(TARGETS) + 1}"
        command = [sys.executable, "-m", "tests.fuzz.atheris_target"]
        codes = [
            subprocess.run([*command, name, share], check=False).returncode for name in TARGETS
        ]
        sys.exit(any(codes))
    main(chosen, options)
