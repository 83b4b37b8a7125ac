"""Pairs in files, of assignments by weight and of matchings with capacities.

Pairs for people are in .csv, .tsv and .parquet, with the labels of the source. All of it is in .npz
and .json: the pairs by number, and arrays for each side that prove them. Those of assignments are
as `berge.checker.prices` has them: capacity, least, leave, prices, and a cover where there is one;
a price of leaving that says *required* is null in JSON. Those with capacities are as
`berge.checker.capacities` has them: least, most, and a cover.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..errors import FormatError, OptionError
from .archive import Archive
from .files import PathName, damage_reported, open_bytes, replacing, split_suffix
from .remote import anywhere

TABLES = (".csv", ".tsv", ".parquet")
SUFFIXES = (*TABLES, ".json", ".npz")
SIDES, EACH = ("row", "col"), ("capacity", "least", "leave", "prices", "cover", "above")
TEXTS = ("objective", "match")
UNITS = tuple(f"{side}_{name}" for side in SIDES for name in ("least", "most"))
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
    """Write all of it to .npz, or to .json with `facts` for people beside it."""
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


@anywhere
def read_assignment(path: PathName) -> Arrays:
    """Read what `write_assignment` wrote; what is not there is None.

    Raises
    ------
    FormatError
        The file is not of that form, or arrays do not fit each other.
    """
    if _is_npz(path):
        with Archive(path) as archive:
            found: Arrays = {name: archive.array(name, "if", 1) for name in _names()}
            found |= {name: archive.array(name, "b", 1) for name in _masks(archive)}
            found |= {name: archive.text(name) for name in TEXTS}
            found["is_optimal"] = bool(archive.array("is_optimal", "b", 0))
    else:
        with _proof_in(path) as proof:
            whole = all(isinstance(x, int) for x in proof["row_prices"] + proof["col_prices"])
            kind: Any = np.int64 if whole and proof["is_whole"] else np.float64
            most = float("inf") if kind is np.float64 else np.iinfo(np.int64).max
            found = {name: proof[name] for name in TEXTS}
            found["is_optimal"] = proof["is_optimal"] is True
            for name in _names():
                values = proof[name]
                if name.endswith("leave"):
                    values = [most if value is None else value for value in values]
                if name in ("rows", "cols") or name.endswith(("capacity", "least")):
                    found[name] = _whole(values)
                elif name == "pair_weights" and not all(type(value) is int for value in values):
                    found[name] = _numbers(values, np.float64)
                else:
                    found[name] = _numbers(values, np.int64 if name == "pair_weights" else kind)
            found |= {name: np.array(proof[name], np.bool_) for name in _masks(proof)}
    _check(path, found)
    return found


@anywhere
def read_units(path: PathName) -> Arrays:
    """Read a matching with capacities: pairs, units, upper bound, and its cover or None."""
    names = ("rows", "cols", *UNITS)
    if _is_npz(path):
        with Archive(path) as archive:
            found: Arrays = {name: archive.array(name, "i", 1) for name in names}
            found |= {name: archive.array(name, "b", 1) for name in _masks(archive)}
            found["upper_bound"] = int(archive.array("upper_bound", "iu", 0))
    else:
        with _proof_in(path) as proof:
            found = {name: _whole(proof[name]) for name in names}
            found |= {name: np.array(proof[name], np.bool_) for name in _masks(proof)}
            found["upper_bound"] = int(_whole([proof["upper_bound"]])[0])
    _check_sizes(path, found, "most", ("least", "most", "cover"))
    return found


def kind_of(path: PathName) -> str | None:
    """Tell what a file has: ``"prices"``, ``"units"``, ``"odd sets"``, or None of these."""
    known = {"prices": "row_prices", "units": "row_most", "odd sets": "set_prices"}
    suffix = split_suffix(path)
    if suffix == (".npz", ""):
        with Archive(path) as archive:
            return next((kind for kind, name in known.items() if name in archive), None)
    if suffix[0] != ".json":
        return None
    with open_bytes(path) as file, damage_reported(path):
        content = file.read()
    return next((kind for kind, name in known.items() if f'"{name}"'.encode() in content), None)


def _is_npz(path: PathName) -> bool:
    suffix = split_suffix(path)
    if suffix != (".npz", "") and suffix[0] != ".json":
        raise FormatError("read are .npz and .json; others have pairs only", path)
    return suffix[0] == ".npz"


def _names() -> list[str]:
    """Return the names of the arrays of numbers."""
    numbers = [f"{side}_{name}" for side in SIDES for name in EACH[:4]]
    return ["rows", "cols", "pair_weights", *numbers]


def _masks(among: Any) -> list[str]:
    masks = [f"{side}_{name}" for name in EACH[4:] for side in SIDES]
    return [name for name in masks if name in among]


@contextmanager
def _proof_in(path: PathName) -> Iterator[Any]:
    """Yield the arrays of a JSON file; report what goes wrong with them."""
    with open_bytes(path) as file, damage_reported(path):
        content = file.read()
    try:
        yield json.loads(content)["proof"]
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise FormatError(f"not of the form that berge writes: {error!r}"[:200], path) from None


def _whole(values: list[Any]) -> Any:
    """Return a list of whole numbers as an array."""
    if not all(type(value) is int for value in values):
        raise ValueError("expected whole numbers")
    return np.array(values, np.int64)


def _numbers(values: list[Any], kind: Any) -> Any:
    """Return a list of numbers as an array."""
    if not all(type(value) in (int, float) for value in values):
        raise ValueError("expected numbers")
    return np.array(values, kind)


def _check(path: PathName, found: Arrays) -> None:
    """Refuse the arrays of an assignment that do not fit each other."""
    if found["rows"].size != found["pair_weights"].size:
        raise FormatError("rows, cols and pair_weights have different sizes", path)
    _check_sizes(path, found, "prices", EACH)
    for side in SIDES:
        if found[f"{side}_capacity"].dtype.kind != "i" or found[f"{side}_least"].dtype.kind != "i":
            raise FormatError(f"{side}_capacity and {side}_least must be whole numbers", path)


def _check_sizes(path: PathName, found: Arrays, first: str, each: tuple[str, ...]) -> None:
    """Refuse pairs or arrays that are not for as many vertices as the first array of a side is."""
    if found["rows"].size != found["cols"].size:
        raise FormatError("rows and cols have different sizes", path)
    for side in SIDES:
        ends, size = found[f"{side}s"], found[f"{side}_{first}"].size
        if ends.dtype.kind != "i" or (ends.size and not 0 <= ends.min() <= ends.max() < size):
            raise FormatError(f"{side}s must be numbers from 0 to {size - 1}", path)
        for name in each:
            array = found.setdefault(f"{side}_{name}", None)
            if array is not None and array.shape != (size,):
                raise FormatError(f"{side}_{name} is not for {size} vertices", path)
    for name in ("cover", "above"):
        if (found.get(f"row_{name}") is None) != (found.get(f"col_{name}") is None):
            raise FormatError(f"there is {name} for one side only", path)
