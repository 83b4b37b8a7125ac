"""Files with scores for each pair, and tables with a number for each label."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import FormatError, OptionError
from .labels import DELIMITERS, cut, labels_hinted, texts_of, warn_of_names
from .pipes import kept_from_url

if TYPE_CHECKING:
    from ..files.limits import Limits
    from .options import GraphFile

_HINT = (
    "columns of labels are read with --left NAME --right NAME; of a table with a column for each "
    "on the right, pass pandas.read_csv(…, index_col=0).stack().reset_index() in Python"
)
Triples = list[tuple[str, str, Any]]


class Scores(NamedTuple):
    """What `assign` is called with, and the columns' names where the file is a table of labels."""

    source: Any
    weights: Any
    names: tuple[str, str, str] | None = None


def read_scores(file: GraphFile, score: str | None) -> Scores:
    """Read a table of labels if any of its columns is named, else a file of numbers."""
    if (file.left, file.right, score) != (None, None, None) and file.format != "parquet":
        source, names = _read_table(file.path, file.left, file.right, score, file.limits)
        return Scores(source, None, names)
    if file.format == "parquet" and (table := file.table()) is not None:
        from ..ingest.weighted import as_weighted

        names = _columns(table.column_names, file.left, file.right, score)
        return Scores(*as_weighted(table, names[2], left=names[0], right=names[1]), names)
    from ..files import read_weighted

    with labels_hinted(file.path, _HINT):
        rows, cols, weights, shape = read_weighted(
            file.path, format=file.form, base=file.base, limits=file.limits,
            left=file.left, right=file.right, weights=score,
        )  # fmt: skip
    return Scores((rows, cols, shape), weights)


def read_units(texts: Mapping[str, str | None], file: GraphFile, labelled: bool) -> dict[str, Any]:
    """Return the capacities and lower bounds that were given: numbers, or tables of them."""
    from ..files.remote import is_url

    found: dict[str, Any] = {}
    for name, text in texts.items():
        if text is None:
            continue
        if text.isdecimal():
            found[name] = int(text)
        else:
            place = kept_from_url(text, file.limits) if is_url(text) else Path(text)
            found[name] = read_numbers(place, file.limits)
        if isinstance(found[name], dict) and not labelled:  # vertices have numbers
            found[name] = {_index(label): units for label, units in found[name].items()}
    return found


def _index(label: str) -> Any:
    return int(label) if label.isdecimal() else label


def _read_table(
    path: Path, left: str | None, right: str | None, score: str | None, limits: Limits | None
) -> tuple[Triples, tuple[str, str, str]]:
    """Return (left, right, score) of every line, and the names of the three columns."""
    rows = _rows(path, limits)
    first, names = next(rows)
    *places, third = _places(names, left, right, score)
    found: Triples = []
    for line, cells in rows:
        ends = [_cell(path, line, cells, names, place) for place in places]
        value = _number(path, line, _cell(path, line, cells, names, third), names[third])
        found.append((ends[0], ends[1], value))
    labels = ({triple[side] for triple in found} for side in (0, 1))
    warn_of_names(path, first, [names[place] for place in places], labels)
    return found, _columns(names, left, right, score)


def _columns(
    names: list[str], left: str | None, right: str | None, score: str | None
) -> tuple[str, str, str]:
    """Return the names of the three columns."""
    first, second, third = _places(names, left, right, score)
    return names[first], names[second], names[third]


def _places(
    names: list[str], left: str | None, right: str | None, score: str | None
) -> tuple[int, int, int]:
    """Return the places of three columns.

    Without a name, the scores are in the column that is neither `left` nor `right`.
    """
    from ..files.columns import choose_columns, place_of

    first, second = choose_columns(names, left, right, by_number=True)
    others = [place for place in range(len(names)) if place not in (first, second)]
    if score is None and len(others) != 1:
        raise OptionError(f"say which column has the scores: --score, one of {', '.join(names)}")
    third = others[0] if score is None else place_of(names, "score", score, by_number=True)
    return first, second, third


def read_numbers(path: Path, limits: Limits | None) -> dict[str, Any]:
    """Return the number in the second column for each label in the first."""
    rows = _rows(path, limits)
    _, names = next(rows)
    if len(names) < 2:
        raise FormatError("expected two columns: a label, and a number", path, 1)
    found: dict[str, Any] = {}
    for line, cells in rows:
        label = _cell(path, line, cells, names, 0)
        if label in found:
            raise FormatError(f"{label!r} is there twice", path, line)
        found[label] = _number(path, line, _cell(path, line, cells, names, 1), names[1])
    return found


def _rows(path: Path, limits: Limits | None) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each line that is not blank, the names first."""
    from ..files.files import damage_reported, open_bytes

    raw: Any = open_bytes(path, limits)
    with io.BufferedReader(raw) as file, damage_reported(path):
        texts = texts_of(file, path)
        number, line = next(((k, text) for k, text in enumerate(texts, 1) if text.strip()), (0, ""))
        if not line:
            raise FormatError("the file is empty: no line with the names of columns", path)
        delimiter = max("".join(DELIMITERS), key=lambda delimiter: len(cut([line], delimiter)))
        yield number, [name.strip() for name in cut([line], delimiter)]
        records = csv.reader(texts, delimiter=delimiter, skipinitialspace=True, strict=True)
        while True:
            try:
                record = next(records, None)
            except csv.Error as error:
                raise FormatError(str(error), path, number + records.line_num) from None
            if record is None:
                return
            cells = [cell.strip() for cell in record]
            if any(cells):
                yield number + records.line_num, cells


def _cell(path: Path, line: int, cells: list[str], names: list[str], place: int) -> str:
    if place >= len(cells) or not cells[place]:
        raise FormatError(f"nothing in column {names[place]!r}", path, line)
    return cells[place]


def _number(path: Path, line: int, text: str, name: str) -> Any:
    """Return a whole number as an int, any other as a float."""
    from ..files.decimals import number

    value = number(text.encode())
    if value is None or value != value:
        point = text.replace(",", ".", 1)
        hint = f"; write {point}" if "," in text and number(point.encode()) is not None else ""
        raise FormatError(f"{text[:40]!r} in column {name!r} is not a number{hint}", path, line)
    return int(text) if text.lstrip("+-").isdecimal() else value
