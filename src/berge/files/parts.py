"""A matching as a folder of arrays, one of each kind a part; joined again when someone asks.

::

    out/
      row_match-00000-of-00002.npy    mates of the rows of part 0, −1 where there is none
      col_match-00000-of-00002.npy
      row_cover-00000-of-00002.npy    which rows are in the cover; only of a proved matching
      …
      meta.json                       sizes, counts, and a checksum of every file

Every part writes its own files (`write_part`), into a new folder (`aside.new_folder`) that takes
its name when all are written and `meta.json` is there (`complete`). `Matching.load` and ``berge
verify`` read such a folder.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Mapping, Sequence
from operator import index
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ..errors import FormatError
from ..graphs.graph import IndexArray, index_type
from .aside import PathName, in_place
from .files import replacing
from .limits import Limits
from .manifest import load_array, read_manifest, save_array, write_json

FORMAT, VERSION, META = "berge matching in parts", 1, "meta.json"
_PAIRS = re.compile(r"part-\d{5}-of-\d{5}\.parquet")
_Kind = TypeVar("_Kind", bound=np.generic)


def write_part(
    folder: Path,
    part: tuple[int, int],
    rows: range,
    cols: range,
    arrays: Mapping[str, npt.NDArray[Any]],
) -> dict[str, Any]:
    """Write the arrays of a part, (number, of so many); return what ``meta.json`` says of them."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {name: folder / _name(name, *part) for name in arrays}
    return {
        "rows": [rows.start, rows.stop],
        "cols": [cols.start, cols.stop],
        "files": {path.name: save_array(path, arrays[name]) for name, path in paths.items()},
    }


def complete(
    folder: Path,
    target: PathName,
    shape: tuple[int, int],
    facts: Mapping[str, Any],
    parts: Sequence[dict[str, Any]],
) -> None:
    """Write ``meta.json``: the folder can be put in the target's place.

    The `facts` are what else it is to say, ``cardinality`` and ``upper_bound`` among it; the
    `parts` what `write_part` returned for each.
    """
    head = {"format": FORMAT, "version": VERSION, "shape": list(shape)}
    write_json(folder / META, head | dict(facts) | {"parts": list(parts)})
    check_place(target)


def check_place(folder: PathName) -> None:
    """Refuse a folder to write to that holds something else than a matching in parts."""
    target = Path(folder)
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    try:
        _read_meta(target)
    except (OSError, FormatError):
        raise FileExistsError(
            errno.EEXIST, "exists and holds no matching in parts: not replaced", str(target)
        ) from None


def check_pairs_place(folder: PathName) -> None:
    """Refuse a folder to write to that holds something else than Parquet files of pairs."""
    target = Path(folder)
    if target.is_dir() and all(_PAIRS.fullmatch(name) for name in os.listdir(target)):
        return
    if target.exists():
        wrong = "exists and holds other things than pairs in parts: not replaced"
        raise FileExistsError(errno.EEXIST, wrong, str(target))


def write_table(table: Any, path: PathName) -> None:
    """Write a table of pyarrow to a Parquet file, which is there when all of it is."""
    from pyarrow import parquet

    with replacing(path) as file:
        parquet.write_table(table, file)


def _read_meta(folder: Path) -> dict[str, Any]:
    return read_manifest(folder / META, FORMAT, VERSION, "a matching in parts")


class MatchingFolder:
    """A folder with a matching in parts; its arrays are read, and checked, when asked for.

    Attributes
    ----------
    shape, cardinality, upper_bound
        As ``meta.json`` says.
    cover
        Number of rows and of columns in the cover that proved it, or None.

    Raises
    ------
    FormatError
        Names the file that is missing, damaged, or not what ``meta.json`` says.
    """

    def __init__(self, path: PathName):
        self.path = in_place(path)
        meta, place = _read_meta(self.path), self.path / META
        try:
            self.parts = list(meta["parts"])
            self.shape = _two(meta["shape"])
            for side, n in zip(("rows", "cols"), self.shape, strict=True):
                bounds = [_two(part[side]) for part in self.parts]
                starts, ends = [b[0] for b in bounds], [0, *(b[1] for b in bounds)]
                if starts != ends[:-1] or ends != sorted(ends) or ends[-1] != n:
                    raise FormatError(f"the parts do not hold all {side} from 0 to {n}", place)
            self.cardinality, self.upper_bound = _two([meta["cardinality"], meta["upper_bound"]])
            self.cover = _two(meta["cover"]) if meta.get("cover") else None
            self.files = [dict(part["files"]) for part in self.parts]
        except FormatError:
            raise
        except (LookupError, TypeError, ValueError) as error:
            raise FormatError(f"not all of a matching in parts: {error!r}", place) from None
        if not 0 <= self.cardinality <= self.upper_bound:
            raise FormatError("has a cardinality above its upper bound", place)

    def mates(self, name: str) -> IndexArray:
        """Return ``row_match`` or ``col_match``, of all parts."""
        return self._joined(name, index_type(*self.shape))

    def flags(self, name: str) -> npt.NDArray[np.bool_]:
        """Return ``row_cover`` or ``col_cover``, of all parts."""
        return self._joined(name, np.bool_)

    def _joined(self, name: str, kind: type[_Kind]) -> npt.NDArray[_Kind]:
        side = "rows" if name.startswith("row") else "cols"
        place, size, dtype = self.path / META, self.shape[side == "cols"], np.dtype(kind)
        Limits().check(self.shape, 0, place, needed=size * dtype.itemsize)
        whole = np.empty(size, kind)
        for number, (part, files) in enumerate(zip(self.parts, self.files, strict=True)):
            first, last = part[side]
            path = self.path / _name(name, number, len(self.parts))
            if path.name not in files:
                raise FormatError(f"does not list {path.name}", place)
            whole[first:last] = load_array(path, files[path.name], dtype, last - first)
        whole.flags.writeable = False
        return whole


def _two(numbers: Any) -> tuple[int, int]:
    """Return two whole numbers."""
    first, second = map(index, numbers)
    return first, second


def _name(name: str, number: int, of: int) -> str:
    return f"{name}-{number:05}-of-{of:05}.npy"
