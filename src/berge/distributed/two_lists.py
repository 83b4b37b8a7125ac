"""Two lists of labels with weighted pairs between them, as tables in parts: in, and out again.

Labels are whole numbers or texts, on any number of parts. Each part hashes the labels that it has
seen, and asks the part that a label hashes to for its number (`_number`): there each label is known
once. A part owns the vertices that it has numbered, those of the left list first. So a part's rows
are the vertices of its block, and its labels are at hand for what is written in the end.

Pairs are sent to the owners of both ends; of equal ones the heaviest is kept. In the end the owner
of a matched label on the left asks for the label of its mate, and writes a row of a table.

Exchanges: six to read, two to write. Memory: 48 bytes a pair while pairs are sent, and the labels.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..errors import InvalidGraphError, OptionError
from ..graphs.graph import index_type
from .communicator import Array, Communicator
from .messages import by_owner, deliver, together
from .part import Part

_MIX = np.uint64(0x9E37_79B9_7F4A_7C15)  # 2⁶⁴ / golden ratio


class Names(NamedTuple):
    """The columns of a table: labels of both lists, and weights, or None for pairs that weigh 1."""

    left: str
    right: str
    weights: str | None = None

    @property
    def all(self) -> list[str]:
        """Those that there are."""
        return [name for name in self if name is not None]


_UNNAMED = Names("left", "right")


@dataclass(eq=False, repr=False)
class TwoLists(Part):
    """A part of the graph whose vertices are the labels of two lists.

    Attributes
    ----------
    labels
        Of its own vertices, by list: arrays of pyarrow. Those on the left come first.
    names
        How the columns are called.
    """

    labels: tuple[Any, Any] = (None, None)
    names: Names = _UNNAMED

    @property
    def n_left(self) -> int:
        """Number of its own vertices on the left."""
        return len(self.labels[0])

    def table(self, mate: Array, comm: Communicator) -> Any:
        """Return the pairs whose label on the left is of this part, as a table. Two exchanges."""
        pyarrow = _pyarrow()
        mine = np.flatnonzero(mate[: self.n_left] >= 0)
        partners = mate[mine].astype(np.int64)
        order = np.argsort(partners, kind="stable")
        asked, _ = comm.exchange(by_owner(self.row_bounds, partners[order][:, None]))
        known = self.labels[1]
        answers = [_packed(known.take(a - self.rows.start - self.n_left)) for a in asked]
        found, _ = comm.exchange(answers)
        mates = pyarrow.concat_arrays([_unpacked(each, known.type) for each in found])
        back = np.empty(order.size, np.int64)
        back[order] = np.arange(order.size)
        columns = {self.names.left: self.labels[0].take(mine), self.names.right: mates.take(back)}
        if self.names.weights is not None:
            columns[self.names.weights] = self._weights_of(mine, partners)
        return pyarrow.table(columns)

    def _weights_of(self, rows: Array, partners: Array) -> Any:
        """Return what the edges of rows to their mates weigh."""
        assert self.weights is not None
        weights = np.zeros(len(self.rows))
        mates = np.full(len(self.rows), -1, np.int64)
        mates[rows] = partners
        for entries, ends in self.entries():
            here = np.flatnonzero(self.indices[entries] == mates[ends])
            weights[ends[here]] = self.weights[entries][here]
        return weights[rows]


def part_of_tables(tables: Sequence[Any], names: Names, comm: Communicator, where: str) -> TwoLists:
    """Make a part of what all parts have of a table of pairs. Collective."""
    pyarrow = _pyarrow()
    columns: list[Any] = []
    with together(comm):
        for name in names.all:
            pieces = [_plain(table.column(name)) for table in tables]
            kinds = {piece.type for piece in pieces}
            if len(kinds) > 1:
                kinds, pieces = {pyarrow.string()}, [p.cast(pyarrow.string()) for p in pieces]
            column = pyarrow.concat_arrays(pieces) if pieces else pyarrow.array([], pyarrow.null())
            _check(column, name, where, is_label=name != names.weights)
            columns.append(column)
    left, right = (_number(column, comm) for column in columns[:2])
    notes = deliver(comm, [], [len(left.labels), len(right.labels)])[1]
    bounds = np.concatenate([[0], np.cumsum(notes.sum(axis=1))])
    one = bounds[left.owners] + left.places
    other = bounds[right.owners] + notes[right.owners, 0] + right.places
    given = np.ones(one.size)
    if names.weights is not None:
        given = np.asarray(columns[2].cast(pyarrow.float64()), np.float64)
    bits = np.ascontiguousarray(given).view(np.int64)
    edges = np.concatenate(
        [np.column_stack([one, other, bits]), np.column_stack([other, one, bits])]
    )
    received = np.concatenate(comm.exchange(by_owner(bounds, edges))[0]).reshape(-1, 3)
    rows, cols, bits = received.T
    weights: Any = np.ascontiguousarray(bits).view(np.float64)
    order = np.lexsort([-weights, cols, rows])  # of equal pairs the heaviest is first
    rows, cols, weights = rows[order], cols[order], weights[order]
    first = np.ones(rows.size, np.bool_)
    first[1:] = (rows[1:] != rows[:-1]) | (cols[1:] != cols[:-1])
    rows, cols, weights = rows[first], cols[first], weights[first]
    n, low, high = int(bounds[-1]), bounds[comm.rank], bounds[comm.rank + 1]
    indptr = np.searchsorted(rows, np.arange(low, high + 1)).astype(index_type(rows.size))
    indices, weights = cols.astype(index_type(n)), None if names.weights is None else weights
    graph = (comm.rank, comm.size, n, n, bounds, bounds, indptr, indices, weights)
    return TwoLists(*graph, labels=(left.labels, right.labels), names=names)


class _Numbered(NamedTuple):
    """The part and the place there of every row's label, and the labels of this part."""

    owners: Array
    places: Array
    labels: Any


def _number(column: Any, comm: Communicator) -> _Numbered:
    """Have every label numbered by the part that it hashes to. Three exchanges."""
    pyarrow = _pyarrow()
    kinds = [bytes(text).decode() for text in _all(comm, str(column.type).encode())]
    kind = pyarrow.string() if "string" in kinds else pyarrow.int64()
    encoded = column.cast(kind).dictionary_encode()
    labels = encoded.dictionary
    owners = _owners(labels, comm.size)
    order = np.argsort(owners, kind="stable")
    cuts = np.searchsorted(owners[order], np.arange(comm.size + 1))
    asked = [labels.take(order[a:b]) for a, b in pairwise(cuts)]
    received, _ = comm.exchange([_packed(each) for each in asked])
    given = [_unpacked(each, kind) for each in received]
    mine = pyarrow.concat_arrays(given).dictionary_encode()
    numbers = np.asarray(mine.indices, np.int64)
    ends = np.cumsum([0, *map(len, given)])
    answers, _ = comm.exchange([numbers[a:b] for a, b in pairwise(ends)])
    places = np.empty(len(labels), np.int64)
    places[order] = np.concatenate(answers)
    codes = np.asarray(encoded.indices, np.int64)
    return _Numbered(owners[codes], places[codes], mine.dictionary)


def _owners(labels: Any, size: int) -> Array:
    """Return the part that each label hashes to."""
    if labels.type == _pyarrow().int64():
        mixed = np.asarray(labels, np.int64).view(np.uint64) * _MIX
        return ((mixed >> np.uint64(32)) % np.uint64(size)).astype(np.int64)
    hashes = (zlib.crc32(text.encode()) % size for text in labels.to_pylist())
    return np.fromiter(hashes, np.int64, len(labels))


def _plain(column: Any) -> Any:
    """Return one array of whole numbers, texts, or floating-point numbers."""
    pyarrow = _pyarrow()
    types = pyarrow.types
    column = column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column
    if isinstance(column, pyarrow.ChunkedArray):  # of no chunks
        column = pyarrow.array([], column.type)
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if types.is_integer(column.type):
        return column.cast(pyarrow.int64())
    is_text = types.is_string(column.type) or types.is_large_string(column.type)
    return column.cast(pyarrow.string()) if is_text or _is_view(column.type) else column


def _is_view(kind: Any) -> bool:
    return str(kind) == "string_view"


def _check(column: Any, name: str, where: str, *, is_label: bool) -> None:
    """Refuse what is no label, or no weight."""
    types = _pyarrow().types
    if column.null_count and not types.is_null(column.type):
        raise InvalidGraphError(f"{where}: column {name!r} has no value somewhere")
    known = types.is_null(column.type) or types.is_integer(column.type)
    if is_label and not (known or types.is_string(column.type)):
        raise InvalidGraphError(
            f"{where}: column {name!r} holds {column.type}; labels are whole numbers or texts"
        )
    if is_label or not len(column):
        return
    if not (known or types.is_floating(column.type)):
        raise InvalidGraphError(f"{where}: column {name!r} holds {column.type}, not numbers")
    values = np.asarray(column, np.float64)
    if not (values.min() >= 0 and values.max() < np.inf):
        k = int(np.argmin((values >= 0) & (values < np.inf)))
        raise InvalidGraphError(
            f"{where}: column {name!r} has the weight {values[k]}: not a finite number ≥ 0"
        )


def _all(comm: Communicator, content: bytes) -> list[bytes]:
    """Return what every part passes. One exchange."""
    message = np.frombuffer(content, np.uint8).astype(np.int64)
    return [bytes(each.astype(np.uint8)) for each in comm.exchange([message] * comm.size)[0]]


def _packed(column: Any) -> Array:
    """Return an array of labels as whole numbers: themselves, or lengths and texts as bytes."""
    pyarrow = _pyarrow()
    column = column.combine_chunks() if isinstance(column, pyarrow.ChunkedArray) else column
    if column.type == pyarrow.int64():
        return np.array(column, np.int64)
    texts = [text.encode() for text in column.to_pylist()]
    content = b"".join(texts)
    head = [len(texts), *map(len, texts)]
    padded = content + bytes(-len(content) % 8)
    return np.concatenate([np.array(head, np.int64), np.frombuffer(padded, np.int64)])


def _unpacked(message: Array, kind: Any) -> Any:
    """Return what `_packed` has made of labels of this kind."""
    pyarrow = _pyarrow()
    if kind == pyarrow.int64():
        return pyarrow.array(np.asarray(message, np.int64))
    count = int(message[0])
    ends = np.concatenate([[0], np.cumsum(message[1 : count + 1])])
    content = np.ascontiguousarray(message[count + 1 :]).tobytes()
    buffers = [None, pyarrow.py_buffer(ends.astype(np.int64)), pyarrow.py_buffer(content)]
    return pyarrow.Array.from_buffers(pyarrow.large_string(), count, buffers).cast(kind)


def _pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise OptionError('tables of pairs need pyarrow: pip install "berge[parquet]"') from None
    return pyarrow
