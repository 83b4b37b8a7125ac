"""A matching as a folder of arrays, one of each kind a part; joined again when someone asks.

::

    out/
      row_match-00000-of-00002.npy    mates of the rows of part 0, −1 where there is none
      col_match-00000-of-00002.npy
      row_cover-00000-of-00002.npy    which rows are in the cover; only of a proved matching
      …
      meta.json                       sizes, counts, and a checksum of every file

Every part writes its own files, into a folder aside that takes its name when all are written; part
0 writes ``meta.json`` and renames. `Matching.load` reads such a folder, so ``berge verify`` does.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import FormatError
from ..files.folder import put_in_place
from ..graphs.graph import IndexArray, index_type
from ..results.matching import Matching, SolveStats
from ..results.proof import Certificate
from .communicator import Communicator
from .messages import from_text, to_text
from .part import Part

__all__ = ["StoredMatching", "check_place", "is_stored", "load_parts", "save_parts"]

FORMAT = "berge matching in parts"
VERSION = 1
META = "meta.json"


def save_parts(
    folder: str | os.PathLike[str],
    comm: Communicator,
    part: Part,
    arrays: Mapping[str, npt.NDArray[Any]],
    facts: Mapping[str, Any],
) -> None:
    """Write this part's arrays; the folder is there once all have been written. Collective.

    The `arrays` are ``row_match`` and ``col_match``, and of a proved matching ``row_cover`` and
    ``col_cover``. The `facts`, those of part 0, are what else ``meta.json`` is to tell,
    ``cardinality`` and ``upper_bound`` among it. A folder of that name that holds a matching in
    parts is replaced. Three exchanges.
    """
    target = Path(folder)
    nothing = [np.zeros(0, np.int64)] * comm.size
    token = np.array([secrets.randbits(48)], np.int64)
    received, _ = comm.exchange([token] * comm.size if comm.rank == 0 else nothing)
    aside = target.parent / f".{target.name}.{int(received[0][0]):012x}.tmp"
    try:
        _write(aside, target, comm, part, arrays, facts)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise


def _write(
    aside: Path,
    target: Path,
    comm: Communicator,
    part: Part,
    arrays: Mapping[str, npt.NDArray[Any]],
    facts: Mapping[str, Any],
) -> None:
    nothing = [np.zeros(0, np.int64)] * comm.size
    aside.mkdir(parents=True, exist_ok=True)
    files: dict[str, str] = {}
    for name, array in arrays.items():
        path = aside / _name(name, part.rank, part.size)
        np.save(path, array)
        files[path.name] = _digest(path)
    mine = {
        "rows": [part.rows.start, part.rows.stop],
        "cols": [part.cols.start, part.cols.stop],
        "files": files,
    }
    received, _ = comm.exchange([to_text(json.dumps(mine)), *nothing[1:]])
    if comm.rank == 0:
        parts = [json.loads(from_text(text)) for text in received]
        meta = {
            "format": FORMAT,
            "version": VERSION,
            "shape": [part.n_rows, part.n_cols],
            **facts,
            "parts": parts,
        }
        (aside / META).write_text(json.dumps(meta, indent=1) + "\n")
        check_place(target)
        put_in_place(aside, target)
    comm.exchange(nothing)  # nobody returns before the folder is there


def check_place(folder: str | os.PathLike[str]) -> None:
    """Refuse a folder to write to that holds something else than a matching in parts."""
    target = Path(folder)
    if target.exists() and not is_stored(target) and not (target.is_dir() and _empty(target)):
        raise FileExistsError(
            errno.EEXIST, "exists and holds no matching in parts: not replaced", str(target)
        )


def is_stored(path: str | os.PathLike[str]) -> bool:
    """Tell whether this is a folder that `save_parts` wrote."""
    try:
        meta = json.loads((Path(path) / META).read_text())
    except (OSError, ValueError):
        return False
    return isinstance(meta, dict) and meta.get("format") == FORMAT


def load_parts(folder: str | os.PathLike[str]) -> Matching:
    """Join a matching in parts into one in memory; every file is checked on the way.

    As of any file, nothing that it says is taken for proved: the cover, if there is one, is what
    `Matching.prove` checks first, and then is the certificate.

    Raises
    ------
    FormatError
        Names the file that is missing, damaged, or not what ``meta.json`` says.
    """
    from ..files.matchings import check_mates

    stored = StoredMatching(folder)
    row_match, col_match = stored.row_match, stored.col_match
    check_mates(row_match, col_match, folder)
    matching = Matching(row_match, col_match, upper_bound=stored.upper_bound)
    matching._cover = stored.certificate
    return matching


class StoredMatching(Matching):
    """A `Matching` that lies in a folder, by parts; its arrays are read when asked for.

    What `maximum_matching` returns with ``cluster=`` and ``output=``.

    Attributes
    ----------
    folder
        Where it lies.
    cover
        Number of rows and of columns in the cover that proved it, or None.
    """

    def __init__(self, folder: str | os.PathLike[str], stats: SolveStats | None = None):
        self.folder = Path(folder)
        self._meta = meta = _read_meta(self.folder)
        self.cardinality = int(meta["cardinality"])
        self.upper_bound = int(meta["upper_bound"])
        self.cover: tuple[int, int] | None = tuple(meta["cover"]) if meta.get("cover") else None
        self.stats = stats
        self.row_labels = self.col_labels = None

    @property
    def n_rows(self) -> int:
        """Number of rows of the graph."""
        return int(self._meta["shape"][0])

    @property
    def n_cols(self) -> int:
        """Number of columns of the graph."""
        return int(self._meta["shape"][1])

    @cached_property
    def row_match(self) -> IndexArray:  # type: ignore[override]
        """The column of each row, or −1."""
        return self._joined("row_match", index_type(self.n_rows, self.n_cols))

    @cached_property
    def col_match(self) -> IndexArray:  # type: ignore[override]
        """The row of each column, or −1."""
        return self._joined("col_match", index_type(self.n_rows, self.n_cols))

    @cached_property
    def certificate(self) -> Certificate | None:  # type: ignore[override]
        """The cover that proved it, read from the folder; None if it was not proved."""
        if self.cover is None:
            return None
        return Certificate(self._joined("row_cover", bool), self._joined("col_cover", bool))

    def _joined(self, name: str, kind: Any) -> npt.NDArray[Any]:
        side = "rows" if name.startswith("row") else "cols"
        parts = self._meta["parts"]
        whole = np.empty(self.n_rows if side == "rows" else self.n_cols, kind)
        for rank, part in enumerate(parts):
            first, last = part[side]
            path = self.folder / _name(name, rank, len(parts))
            if path.name not in part["files"]:
                raise FormatError(f"does not list {path.name}", self.folder / META)
            if not path.is_file():
                raise FormatError("is missing", path)
            if _digest(path) != part["files"][path.name]:
                raise FormatError("is damaged: its checksum is not the one in meta.json", path)
            array = np.load(path, allow_pickle=False)
            if array.shape != (last - first,):
                raise FormatError(f"has shape {array.shape}, not {last - first}", path)
            whole[first:last] = array
        whole.flags.writeable = False
        return whole


def _read_meta(folder: Path) -> dict[str, Any]:
    path = folder / META
    try:
        meta = json.loads(path.read_text())
        if meta["format"] != FORMAT or meta["version"] != VERSION:
            raise FormatError(f"is no {FORMAT} of version {VERSION}", path)
        for side, n in zip(("rows", "cols"), meta["shape"], strict=True):
            bounds = [part[side] for part in meta["parts"]]
            ends = [0, *(last for _, last in bounds)]
            if [first for first, _ in bounds] != ends[:-1] or ends[-1] != n:
                raise FormatError(f"the parts do not hold all {side} from 0 to {n}", path)
        if not 0 <= int(meta["cardinality"]) <= int(meta["upper_bound"]):
            raise FormatError("has a cardinality above its upper bound", path)
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"is not the meta.json of a matching in parts: {error!r}", path) from None
    return dict(meta)


def _name(name: str, rank: int, size: int) -> str:
    return f"{name}-{rank:05}-of-{size:05}.npy"


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _empty(folder: Path) -> bool:
    return not any(folder.iterdir())
