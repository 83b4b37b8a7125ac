"""Folders that describe themselves: a manifest in JSON, checksums, fingerprints of graphs.

Graphs (`folder`), matchings in parts (`parts`) and checkpoints of solves in parts are such folders.
Each has one JSON file with ``format`` and ``version``, which is written last: without it there is
nothing to read.

`fingerprint` tells graphs apart by the checksums of their arrays: it is known once a folder is
written, and checked without reading the arrays. (A graph in parts has no such arrays. Its
checkpoints know it by a sum of hashes of its edges, `berge.distributed.part.Part.fingerprint`.)
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import FormatError
from . import npy
from .aside import PathName
from .files import replacing

CHUNK = 1 << 26  # bytes under one checksum
_LONGEST = 1 << 26  # bytes of a manifest


def read_manifest(path: Path, form: str, version: int, what: str) -> dict[str, Any]:
    """Return the manifest of a folder; FormatError if it is not one of this form and version."""
    content = read_json(path)
    if not isinstance(content, dict) or content.get("format") != form:
        raise FormatError(f"not the {path.name} of {what}", path)
    if content.get("version") != version:
        raise FormatError(f"version {content.get('version')!r}, known is {version}", path)
    return content


def read_json(path: Path) -> Any:
    """Return what a JSON file of ours says."""
    if path.stat().st_size > _LONGEST:
        raise FormatError(f"longer than the {_LONGEST >> 20} MiB of any manifest", path)
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}", path) from None


def file_in(folder: Path, name: Any) -> Path:
    """Return a file that a manifest names: one of its own folder, as berge writes names.

    A link with such a name is followed: who can put it there could put a file there as well.
    """
    if not isinstance(name, str) or not re.fullmatch(r"\w[\w.-]*", name, re.ASCII):
        raise FormatError(f"its manifest names a file {name!r}, which is no plain name", folder)
    return folder / name


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file; once it has its name, it and all names in its folder are on the disk."""
    with replacing(path) as file:
        file.write(json.dumps(content, indent=1).encode() + b"\n")


def save_array(path: Path, array: npt.NDArray[Any]) -> str:
    """Write an .npy file, which has its name when all of it is written; return its digest.

    The name is on the disk once the manifest is.
    """
    with replacing(path, sync_name=False) as file:
        np.save(file, array)
    return digest(path)


def load_array(path: Path, noted: Any, dtype: np.dtype[Any], size: int) -> npt.NDArray[Any]:
    """Read an .npy file of so many numbers whose digest was noted in the manifest."""
    try:
        array = npy.load(path, (size,), dtype)
        if digest(path) != noted:
            raise FormatError("damaged: its checksum is not the one in the manifest", path)
    except FileNotFoundError:
        raise FormatError("missing", path) from None
    return array


def digest(content: Path | Any) -> str:
    """Return the SHA-256 of a file, or of anything that JSON can hold."""
    if isinstance(content, Path):
        with content.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


class Checksums:
    """Checksums of every `CHUNK` bytes of what passes by; the last may be of fewer.

    `all_of` and `size` are those of what has passed already.
    """

    def __init__(self, all_of: Sequence[int] = (), size: int = 0):
        self.all = list(all_of)
        self._left = -size % CHUNK  # bytes that the last one still takes

    def add(self, piece: Any) -> Checksums:
        """Go on with a piece, of bytes or an array; return this."""
        view = memoryview(piece)
        view = view.cast("B") if view.nbytes else view  # nothing cannot be cast
        while len(view):
            if self._left == 0:
                self.all.append(0)
                self._left = CHUNK
            taken = view[: self._left]
            self.all[-1] = zlib.crc32(taken, self.all[-1])
            self._left -= len(taken)
            view = view[len(taken) :]
        return self


def fingerprint(shape: tuple[int, int], edges: int, sums: dict[str, list[int]]) -> str:
    """Return the fingerprint of a graph whose arrays have these checksums."""
    content = json.dumps([*shape, edges, sums["indptr"], sums["indices"]])
    return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()


def check_target(path: PathName) -> None:
    """Refuse a place that a folder cannot be written to, or where there is anything else."""
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no such folder", str(target.parent))
    if target.is_dir():
        if any(target.iterdir()) and not (target / "meta.json").is_file():
            raise FileExistsError(errno.EEXIST, "is a folder with other things in it", str(target))
    elif target.exists():
        raise FileExistsError(errno.EEXIST, "is a file, cannot write a folder here", str(target))
