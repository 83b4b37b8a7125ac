"""Assignments in files: pairs for people in .csv, .tsv and .parquet; all of it in .npz and .json.

What proves an assignment are arrays for each side, as `berge.checker.prices` has them: capacity,
least, leave, prices, and a cover where there is one. Labels are those of the source in files for
people. A price of leaving that says *required* is null in JSON.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import FormatError, OptionError
from .archive import Archive
from .files import PathName, damage_reported, open_bytes, replacing, split_suffix

SUFFIXES = (".csv", ".tsv", ".parquet", ".json", ".npz")
SIDES, EACH = ("row", "col"), ("capacity", "least", "leave", "prices", "cover", "above")
TEXTS = ("objective", "match")
Arrays = dict[str, Any]


def write_pairs_of(
    path: PathName, names: tuple[str, ...], pairs: Iterable[tuple[Any, ...]]
) -> None:
    """Write (left, right), and weights if there are any, as a table with these names."""
    suffix = split_suffix(path)[0]
    if suffix == ".parquet":
        columns = list(zip(*pairs, strict=True)) or [()] * len(names)
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError:
            raise OptionError('Parquet files need pyarrow: pip install "berge[parquet]"') from None
        table = pyarrow.table({name: list(c) for name, c in zip(names, columns, strict=True)})
        with replacing(path) as file:
            parquet.write_table(table, file)
        return
    with replacing(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        delimiter = "\t" if suffix == ".tsv" else ","
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(pairs)
        text.detach()  # flushes, and leaves the file to its owner


def write_assignment(path: PathName, arrays: Arrays, facts: dict[str, Any]) -> None:
    """Write all of an assignment to .npz, or to .json with `facts` for people beside it."""
    if split_suffix(path) == (".npz", ""):
        with replacing(path) as file:
            np.savez_compressed(file, **{k: v for k, v in arrays.items() if v is not None})
        return
    lists = {}
    for name, array in arrays.items():
        if isinstance(array, np.ndarray) and array.ndim:
            values = array.tolist()
            lists[name] = values
            if name.endswith("leave"):
                most = float("inf") if array.dtype.kind == "f" else np.iinfo(np.int64).max
                lists[name] = [None if value == most else value for value in values]
        elif array is not None:
            lists[name] = array
    with replacing(path) as file:
        file.write(json.dumps({**facts, "proof": lists}, default=str).encode() + b"\n")


def read_assignment(path: PathName) -> Arrays:
    """Read what `write_assignment` wrote; what is not there is None.

    Raises
    ------
    FormatError
        The file is not of that form, or arrays do not fit each other.
    """
    suffix = split_suffix(path)
    if suffix == (".npz", ""):
        with Archive(path) as archive:
            found: Arrays = {name: archive.array(name, "if", 1) for name in _names()}
            found |= {name: archive.array(name, "b", 1) for name in _masks(archive)}
            found |= {name: archive.text(name) for name in TEXTS}
            found["is_optimal"] = bool(archive.array("is_optimal", "b", 0))
    elif suffix[0] == ".json":
        found = _of_json(path)
    else:
        raise FormatError("assignments are read from .npz and .json; others have pairs only", path)
    _check(path, found)
    return found


def is_assignment(path: PathName) -> bool:
    """Tell whether a file has an assignment by weight, not a matching."""
    suffix = split_suffix(path)
    if suffix == (".npz", ""):
        with Archive(path) as archive:
            return "row_prices" in archive
    if suffix[0] != ".json":
        return False
    with open_bytes(path) as file, damage_reported(path):
        return b'"row_prices"' in file.read()


def _names() -> list[str]:
    """Return the names of the arrays of numbers."""
    numbers = [f"{side}_{name}" for side in SIDES for name in EACH[:4]]
    return ["rows", "cols", "pair_weights", *numbers]


def _masks(among: Any) -> list[str]:
    masks = [f"{side}_{name}" for name in EACH[4:] for side in SIDES]
    return [name for name in masks if name in among]


def _of_json(path: PathName) -> Arrays:
    found: Arrays
    with open_bytes(path) as file, damage_reported(path):
        content = file.read()
    try:
        proof = json.loads(content)["proof"]
        whole = all(isinstance(x, int) for x in proof["row_prices"] + proof["col_prices"])
        kind: Any = np.int64 if whole and proof["is_whole"] else np.float64
        most = float("inf") if kind is np.float64 else np.iinfo(np.int64).max
        found = {name: proof[name] for name in (*TEXTS, "is_optimal")}
        for name in _names():
            values = [most if value is None else value for value in proof[name]]
            units = name in ("rows", "cols") or name.endswith(("capacity", "least"))
            weights = np.array(values) if name == "pair_weights" and values else None
            found[name] = np.array(values, np.int64 if units else kind)
            if weights is not None:
                found[name] = weights
        found |= {name: np.array(proof[name], np.bool_) for name in _masks(proof)}
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise FormatError(f"not an assignment in JSON: {error!r}"[:200], path) from None
    return found


def _check(path: PathName, found: Arrays) -> None:
    """Refuse arrays that do not fit each other."""
    if not found["rows"].size == found["cols"].size == found["pair_weights"].size:
        raise FormatError("rows, cols and pair_weights have different sizes", path)
    for side in SIDES:
        ends, size = found[f"{side}s"], found[f"{side}_prices"].size
        if ends.dtype.kind != "i" or (ends.size and not 0 <= ends.min() <= ends.max() < size):
            raise FormatError(f"{side}s must be numbers from 0 to {size - 1}", path)
        for name in EACH:
            array = found.setdefault(f"{side}_{name}", None)
            if array is not None and array.shape != (size,):
                raise FormatError(f"{side}_{name} is not for {size} vertices", path)
        if found[f"{side}_capacity"].dtype.kind != "i" or found[f"{side}_least"].dtype.kind != "i":
            raise FormatError(f"{side}_capacity and {side}_least must be whole numbers", path)
    for name in EACH[4:]:
        if (found[f"row_{name}"] is None) != (found[f"col_{name}"] is None):
            raise FormatError(f"there is {name} for one side only", path)
