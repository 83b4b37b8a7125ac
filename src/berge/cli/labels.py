"""``berge match --left … --right …``: files of labels in, pairs of labels and reasons out.

A file has the names of its columns on the first line; every further line is an edge between the
labels in two of the columns. Spaces around a label do not count. The delimiter is a comma, a
semicolon or a tab: the one that cuts the first line into most columns.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import FormatError, InvalidGraphError, OptionError
from ..wording import warn

if TYPE_CHECKING:
    from ..files.limits import Limits
    from ..graphs.graph import BipartiteGraph
    from ..results.matching import Matching
    from .options import GraphFile

SUFFIXES = (".csv", ".tsv", ".npz")
_FORMATS = (None, "csv", "tsv")
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs"}
_NAMES_SHOWN = 10  # unmatched labels of a side
_REASONS_SHOWN = 5


@dataclass(frozen=True)
class LabelledFile:
    """What was read: a graph with labels, and the names of its two columns."""

    graph: BipartiteGraph
    left: str
    right: str

    def save(self, matching: Matching, path: Path) -> None:
        """Write pairs of labels to .csv or .tsv, or the matching by numbers to .npz."""
        if path.suffix.lower() == ".npz":
            matching.save(path)
            return
        from ..files.files import replacing

        with replacing(path) as file:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="")
            delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
            writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
            writer.writerow([self.left, self.right])
            writer.writerows(matching.as_dict().items())
            text.detach()  # flushes, and leaves the file to its owner

    def size_of(self, path: Path) -> int:
        """Return how many pairs a file has that `save` wrote, 0 if they are of other labels."""
        there = _read(path, self.left, self.right, None).graph
        sides = (there.row_labels, self.graph.row_labels), (there.col_labels, self.graph.col_labels)
        known = all(set(found or ()) <= set(mine or ()) for found, mine in sides)
        return there.nnz if known and there.shape == (there.nnz, there.nnz) else 0

    def facts(self, matching: Matching) -> dict[str, Any]:
        """Return what --json says of labels; why some are unmatched only if that is known."""
        from ..analysis.labels import LabelledMatching

        pairs = LabelledMatching(self.graph, matching)
        names = ("members", "choices", "unmatched")
        reasons: dict[str, Any] = {"reasons_left": None, "reasons_right": None}
        for side in ("left", "right") if matching.is_maximum else ():
            reasons[f"reasons_{side}"] = [
                {name: getattr(reason, name) for name in names} | {"text": str(reason)}
                for reason in pairs.reasons(side)
            ]
        return {
            "left": self.left,
            "right": self.right,
            "pairs": list(pairs.items()),
            "unmatched_left": pairs.unmatched_left,
            "unmatched_right": pairs.unmatched_right,
            **reasons,
        }

    def lines(self, matching: Matching) -> Iterator[tuple[str, str]]:
        """Yield lines of the summary: who is unmatched, and why on the left."""
        from ..analysis.labels import LabelledMatching
        from ..wording import in_words

        pairs = LabelledMatching(self.graph, matching)
        left, right = pairs.unmatched_left, pairs.unmatched_right
        yield "unmatched", f"{len(left):,} in {self.left}, {len(right):,} in {self.right}"
        for name, labels in ((self.left, left), (self.right, right)):
            if labels:
                yield "", f"{name}: {in_words(labels, _NAMES_SHOWN)}"
        if not left or not matching.is_maximum:
            return
        reasons = pairs.reasons()
        for k, reason in enumerate(reasons[:_REASONS_SHOWN]):
            yield "" if k else "why", reason.describe()
        if more := reasons[_REASONS_SHOWN:]:
            groups = f"{len(more):,} more group{'' if len(more) == 1 else 's'}"
            without = sum(reason.missing for reason in more)
            yield "", f"… and {groups} with {without:,} unmatched; --json lists all"


def read_labelled(file: GraphFile) -> LabelledFile:
    """Read a file of labels; columns are named, or numbered from 1.

    Raises
    ------
    FormatError
        An empty cell, too few columns or broken quoting; names the line.
    OptionError
        No such column; lists those there are.
    """
    if file.format == "parquet":
        from ..files.columns import choose_columns
        from ..ingest import as_bipartite

        table = file.table()
        names = [table.column_names[k] for k in
                 choose_columns(table.column_names, file.left, file.right)]  # fmt: skip
        return LabelledFile(as_bipartite(table, left=names[0], right=names[1]), *names)
    if file.format in ("graphml", "pajek"):
        from ..files import read

        return LabelledFile(read(file.path, format=file.form), "rows", "columns")
    if file.form not in _FORMATS:
        raise OptionError(f"left= and right= are for csv and tsv, not for the format {file.form!r}")
    if file.base:
        raise OptionError("base= is for files of numbers, left= and right= are for labels")
    return _read(file.path, file.left, file.right, file.limits)


def _read(path: Path, left: str | None, right: str | None, limits: Limits | None) -> LabelledFile:
    from ..files.columns import choose_columns
    from ..files.files import damage_reported, open_bytes
    from ..graphs.owned import settle
    from ..ingest.pairs import graph_of_pairs

    raw: Any = open_bytes(path, limits)
    with io.BufferedReader(raw) as file, damage_reported(path):
        texts = texts_of(file, path)
        number, line = next(((k, text) for k, text in enumerate(texts, 1) if text.strip()), (0, ""))
        if not line:
            raise FormatError("the file is empty: no line with the names of columns", path)
        records: Any = None
        try:
            delimiter = max("".join(DELIMITERS), key=lambda delimiter: len(cut([line], delimiter)))
            names = [name.strip() for name in cut([line], delimiter)]
            places = choose_columns(names, left, right, by_number=True)
            records = csv.reader(texts, delimiter=delimiter, skipinitialspace=True, strict=True)
            graph = graph_of_pairs(_pairs(records, names, places))
            chosen = [names[place] for place in places]
            said = f"a table cut at {DELIMITERS[delimiter]}; line {number} names its columns"
            settle(graph, "source", said)
            warn_of_names(path, number, chosen, (graph.row_labels, graph.col_labels))
        except (csv.Error, InvalidGraphError) as error:
            number += records.line_num if records else 0
            raise FormatError(str(error), path, number) from None
    return LabelledFile(graph, names[places[0]], names[places[1]])


def warn_of_names(path: Path, line: int, names: list[str], labels: Any) -> None:
    """Warn where the first line seems to be one of labels, not of names of columns."""
    again = [name for name, known in zip(names, labels, strict=True) if name in set(known or ())]
    if again:
        warn(
            f"{path}, line {line}: taken for the names of columns, but {again[0]!r} is a label as "
            "well; if it is one here, put a line of names before it"
        )


def texts_of(file: Iterable[bytes], path: Path) -> Iterator[str]:
    """Yield the lines as text. The signature is what some programs begin UTF-8 with."""
    for number, line in enumerate(file, 1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            hint = "; save the table as CSV" if path.suffix in (".xlsx", ".xls", ".ods") else ""
            raise FormatError(f"not text in UTF-8{hint}", path, number) from None


def cut(lines: list[str], delimiter: str) -> list[str]:
    """Return the cells of a line."""
    return next(csv.reader(lines, delimiter=delimiter, skipinitialspace=True))


def _pairs(
    records: Iterator[list[str]], names: list[str], places: tuple[int, int]
) -> Iterator[tuple[str, str]]:
    """Yield the two labels of every line that is not blank."""
    first, second = places
    for record in records:
        if not record:  # of many a file there are a million
            continue
        try:
            left, right = record[first].strip(), record[second].strip()
        except IndexError:  # a line that ends too early
            left = right = ""
        if left and right:
            yield left, right
        elif any(cell.strip() for cell in record):
            empty = next(p for p in places if not "".join(record[p : p + 1]).strip())
            raise InvalidGraphError(f"no label in column {names[empty]!r}")


_COLUMNS = "columns of labels are read with --left NAME --right NAME"
IN_PYTHON = "of a table of names, pass pandas.read_csv(…) in Python"


@contextmanager
def labels_hinted(path: Path, hint: str = _COLUMNS) -> Iterator[None]:
    """Add to an error over what may be a file of labels how to read one."""
    from ..files.files import split_suffix

    try:
        yield
    except FormatError as error:
        if split_suffix(path)[0] in (".csv", ".tsv"):
            error.args = (f"{error} ({hint})",)
        raise
