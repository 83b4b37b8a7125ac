"""What can be read in parts: where the edges are, and how each member makes its part of them.

- A ``.berge`` folder on storage that all members share, or at a URL: each reads its slice.
- Parquet files of edges, a file, a folder or a pattern: each member reads some of the row groups,
  and sends the edges to the owners of their rows.
- A Dask dataframe of edges: each worker takes the partitions that it has, then likewise.
- Anything else is made a graph in one place, by `as_bipartite` or `as_graph`, and its parts are
  sent to the members: by Dask's client (`open_source`), or by MPI's rank 0 (`read_part`).

Tables of edges hold numbers of rows and columns, from 0 on. (On one machine whatever a frame holds
is a label. To number labels all of them must be in one place, which is what a cluster is not.)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FormatError, InvalidGraphError, OptionError
from .communicator import Array, Communicator
from .greedy import make_undirected
from .messages import together
from .part import Part
from .two_lists import Names, part_of_tables

if TYPE_CHECKING:
    from distributed import Client, Future

Pieces = list[list["Future"]]
Ends = tuple[list[Any], list[Any]]  # rows and columns of edges, in portions


def _nothing(client: Client, addresses: Sequence[str]) -> Pieces:
    return [[] for _ in addresses]


@dataclass
class Source:
    """A graph that can be cut into parts.

    Attributes
    ----------
    make_part
        Called by every member, with its communicator and the pieces that it was handed. Returns its
        part.
    pieces
        Called by the driver, with the client and the addresses of the members: what to hand to
        each of them.
    row_labels, col_labels
        Names of rows and columns, where the graph has any.
    """

    make_part: Callable[[Communicator, list[Any]], Part]
    pieces: Callable[[Client, Sequence[str]], Pieces] = _nothing
    row_labels: Sequence[Any] | None = None
    col_labels: Sequence[Any] | None = None


def open_source(source: Any, left: Any = None, right: Any = None, shape: Any = None) -> Source:
    """Find out what a source is; `left`, `right` and `shape` are for tables of edges."""
    from ..files.folder import is_folder
    from ..files.parquet import is_parquet
    from ..ingest import as_bipartite

    path = _place(source)
    if path is not None and is_parquet(path):
        return Source(partial(_read_parquet, path, (left, right), shape))
    if hasattr(source, "npartitions") and hasattr(source, "columns"):
        return _dask_frame(source, left, right, shape)
    given = {"left": left, "right": right, "shape": shape}
    given = {name: value for name, value in given.items() if value is not None}
    if path is not None and is_folder(path):
        for name in given:
            raise OptionError(f"{name} is for tables of edges, and {path} is a folder of arrays")
        return Source(partial(_read_folder, path, False))
    graph = as_bipartite(source, **given)
    return Source(_first_piece, partial(_scatter, graph), graph.row_labels, graph.col_labels)


def open_undirected(
    source: Any, weights: Any = None, left: Any = None, right: Any = None
) -> Source:
    """Find out what an undirected graph is: a ``.berge`` folder, or what `as_graph` takes.

    With `left` and `right` it is a table of pairs between two lists.
    """
    from ..files.folder import is_folder
    from ..ingest import as_graph

    if left is not None or right is not None:
        return _table_of_pairs(source, table_names(left, right, weights))
    path = _place(source)
    if path is not None and is_folder(path):
        _no_weights(source, weights)
        return Source(partial(_read_folder, path, True))
    return Source(_first_piece, partial(_scatter, as_graph(source, weights=weights)))


def table_names(left: Any, right: Any, weights: Any) -> Names:
    """Return the names of the columns of a table of pairs."""
    if not (isinstance(left, str) and isinstance(right, str)):
        raise OptionError("left and right must both name a column, of pairs between two lists")
    if not isinstance(weights, str | None):
        raise OptionError("weights must name a column, where left and right do")
    return Names(left, right, weights)


def _table_of_pairs(source: Any, names: Names) -> Source:
    """Return where the pairs are: in Parquet, in a Dask dataframe, or in a frame here."""
    from ..files.parquet import is_parquet
    from ..ingest.two_lists import table_of

    path = _place(source)
    if path is not None and is_parquet(path):
        return Source(partial(_read_pairs, path, names))
    if hasattr(source, "npartitions") and hasattr(source, "columns"):
        handed = _dask_frame(source, None, None, None, names.all)
        return replace(handed, make_part=partial(_take_pairs, names))
    table = table_of(source, names.all)

    def pieces(client: Client, addresses: Sequence[str]) -> Pieces:
        cuts = [len(table) * k // len(addresses) for k in range(len(addresses) + 1)]
        return [
            [client.scatter(table.slice(a, b - a), workers=[address], hash=False)]
            for address, a, b in zip(addresses, *zip(*pairwise(cuts), strict=True), strict=True)
        ]

    return Source(partial(_take_pairs, names), pieces)


def _read_pairs(path: str, names: Names, comm: Communicator, pieces: list[Any]) -> Part:
    return read_pairs(path, names, comm)


def read_pairs(path: str, names: Names, comm: Communicator) -> Part:
    """Make a part of this part's share of the row groups of Parquet files."""
    from ..files.parquet import tables

    found: list[Any] = []
    with together(comm):
        found, _ = tables(path, names.all, (comm.rank, comm.size))
    return part_of_tables(found, names, comm, path)


def _take_pairs(names: Names, comm: Communicator, pieces: list[Any]) -> Part:
    import pyarrow

    found: list[Any] = []
    with together(comm):
        for piece in pieces:
            is_table = isinstance(piece, pyarrow.Table)
            found.append(
                piece if is_table else pyarrow.Table.from_pandas(piece, preserve_index=False)
            )
    return part_of_tables(found, names, comm, "the table")


def _place(source: Any) -> str | None:
    """Return the URL, or the path from the root, that a source is; None if it is neither."""
    from ..files.remote import is_url, plain

    source = plain(source)
    if not isinstance(source, (str, os.PathLike)):
        return None
    return str(source) if is_url(source) else os.path.abspath(source)


def read_part(
    path: str | Path,
    comm: Communicator,
    *,
    left: str | None = None,
    right: str | None = None,
    undirected: bool = False,
    weights: bool | str = False,
) -> Part:
    """Read this rank's part of a file; an error of one rank is one of all.

    The graph is bipartite, and `left` and `right` are columns of Parquet files; or it is
    `undirected`, with `weights` if that is said.
    """
    from ..files import read, read_graph
    from ..files.folder import is_folder
    from ..files.parquet import is_parquet
    from ..files.remote import plain

    path = plain(path)
    graph: Any = None
    part = ends = None
    if undirected and (left is not None or right is not None):
        with together(comm):
            names = table_names(left, right, weights or None)
        return read_pairs(str(path), names, comm)
    with together(comm):
        if is_folder(path):
            _no_weights(path, weights or None)
            part = Part.from_folder(path, comm.rank, comm.size)
        elif is_parquet(str(path)) and not undirected:
            ends = parquet_ends(str(path), (left, right), comm)
        elif left is not None or right is not None:
            raise OptionError("--left and --right are for Parquet files")
        elif comm.rank == 0:
            graph = read_graph(path, weights=weights) if undirected else read(path)
    if part is not None:
        return make_undirected(part, comm) if undirected else part
    return Part.scattered(graph, comm) if ends is None else from_ends(ends, None, comm, path)


def _no_weights(path: Any, weights: Any) -> None:
    if weights is not None:
        raise FormatError("a .berge folder has no weights", path)


def _scatter(graph: Any, client: Client, addresses: Sequence[str]) -> Pieces:
    """Send each member its part of a graph that is here."""
    size = len(addresses)
    return [
        [client.scatter(Part.from_graph(graph, rank, size), workers=[address], hash=False)]
        for rank, address in enumerate(addresses)
    ]


def _first_piece(comm: Communicator, pieces: list[Any]) -> Part:
    part: Part = pieces[0]
    return part


def _read_folder(path: str, undirected: bool, comm: Communicator, pieces: list[Any]) -> Part:
    part = Part.from_folder(path, comm.rank, comm.size)
    return make_undirected(part, comm) if undirected else part


def _read_parquet(
    path: str, names: tuple[Any, Any], shape: Any, comm: Communicator, pieces: list[Any]
) -> Part:
    return from_ends(parquet_ends(path, names, comm), shape, comm, path)


def parquet_ends(path: str, names: tuple[Any, Any], comm: Communicator) -> Ends:
    """Read this part's share of the row groups of the files."""
    from ..files.parquet import batches, files_of

    part, (left, right) = (comm.rank, comm.size), names
    pairs = list(batches(path, files_of(path), left=left, right=right, part=part))
    return [rows for rows, _ in pairs], [cols for _, cols in pairs]


def _dask_frame(source: Any, left: Any, right: Any, shape: Any, chosen: Any = None) -> Source:
    from ..files.columns import choose_columns, place_of

    columns = list(source.columns)
    for name in chosen or ():
        place_of(columns, "the column", name)
    if chosen is None:
        chosen = [columns[place] for place in choose_columns(columns, left, right)]

    def pieces(client: Client, addresses: Sequence[str]) -> Pieces:
        from distributed import futures_of, wait

        futures = futures_of(client.persist(source[chosen]))
        wait(futures)
        holders = client.who_has(futures)
        handed: Pieces = [[] for _ in addresses]
        for k, future in enumerate(futures):
            here = [addresses.index(a) for a in holders.get(future.key, ()) if a in addresses]
            # Of those who have it the one with the fewest; anyone where none of them takes part.
            rank = min(here, key=lambda p: len(handed[p]), default=k % len(addresses))
            handed[rank].append(future)
        return handed

    return Source(partial(_take_frames, shape), pieces)


def _take_frames(shape: Any, comm: Communicator, pieces: list[Any]) -> Part:
    ends: Ends = [], []
    for frame in pieces:
        for place, side in enumerate(ends):
            side.append(_numbers(frame.iloc[:, place]))
    return from_ends(ends, shape, comm, "the Dask dataframe")


def _numbers(column: Any) -> Array:
    """Return the vertex numbers of a frame's column as int64; complain of anything else."""
    values, where = column.to_numpy(), f"the Dask dataframe: column {column.name!r} holds"
    if values.dtype.kind not in "iu":
        raise InvalidGraphError(
            f"{where} {values.dtype}, or values are missing; on a cluster edges are pairs of row "
            "and column numbers"
        )
    numbers: Array = values.astype(np.int64)
    if numbers.size and numbers.min() < 0:
        raise InvalidGraphError(f"{where} {numbers.min()}, which is below 0")
    return numbers


def from_ends(ends: Ends, shape: Any, comm: Communicator, source: Any) -> Part:
    """Send edges to the owners of their rows; the shape is what the largest numbers ask for."""
    from ..files.limits import Limits

    rows, cols = (np.concatenate([np.zeros(0, np.int64), *side]) for side in ends)
    if shape is None:
        largest = np.array([side.max(initial=-1) for side in (rows, cols)], np.int64)
        received, _ = comm.exchange([largest] * comm.size)
        shape = np.max(received, axis=0) + 1
    n_rows, n_cols = int(shape[0]), int(shape[1])
    with together(comm):
        needed = 4 * (n_rows + n_cols) // comm.size
        Limits().check((n_rows, n_cols), rows.size, source, needed=needed)
    return Part.from_edges(rows, cols, n_rows, n_cols, comm)
