"""Graphs out of files of every format that berge reads, by readers of the checker's own.

They are slow and simple: plain Python takes text line by line, numpy takes arrays. They share
nothing with the readers in `berge.files`, which are compiled, and must see the same graphs. They
may refuse what those take: .npy headers that numpy does not write, and graphs larger than memory.
"""

from __future__ import annotations

import errno
import hashlib
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FormatError, OptionError, ProofError
from .check import CHUNK, edges_of_rows, ends_of
from .untrusted import (
    EACH,
    MOST,
    Archive,
    Entry,
    Limits,
    Lines,
    Shape,
    array_of,
    damage_told,
    read_bytes,
    read_json,
    suffixes,
)

Piece = tuple[Any, Any, Any]  # arrays of the same; weights may be None
Found = tuple[Shape | None, Iterator[Piece]]  # no shape: the largest numbers tell

SIZES = re.compile(rb"[#%]\s*rows\s+([0-9]{1,30})\s+cols\s+([0-9]{1,30})\s+entries\s+([0-9]{1,30})")
FIELDS = (b"real", b"integer", b"complex", b"pattern", b"double", b"unsigned-integer")
SYMMETRIES = (b"general", b"symmetric", b"skew-symmetric", b"hermitian")
PROBLEMS = {b"sp": (b"a", b"c"), b"edge": (b"e", b"cn"), b"col": (b"e", b"cn")}  # tag, comments
SUM_OF = 1 << 26  # bytes under one checksum of a folder


@dataclass(frozen=True)
class Source:
    """A file, and how it is to be read."""

    path: Path
    limits: Limits
    format: str | None = None
    base: int = 0
    left: str | None = None
    right: str | None = None
    weighted: bool = False

    def error(self, message: str) -> FormatError:
        """Return an error of the file as a whole."""
        return FormatError(message, self.path)

    def lines(self) -> Lines:
        """Return its lines."""
        return Lines(self.path, self.limits)

    def refuse_weights(self, has_none: bool = True) -> None:
        """Complain where weights are asked for and there are none."""
        if self.weighted and has_none:
            raise self.error("has no weights of edges, and the matching has a weight")

    def pieces(self, entries: Iterator[Entry], mirror: bool = False) -> Iterator[Piece]:
        """Gather entries in arrays; to mirror is to add (j, i) for every (i, j) where i ≠ j."""
        while chunk := list(islice(entries, CHUNK)):
            rows, cols = (np.array([entry[k] for entry in chunk], np.int64) for k in (0, 1))
            weights = np.array([entry[2] for entry in chunk]) if self.weighted else None
            yield rows, cols, weights
            if mirror:
                off = rows != cols
                yield cols[off], rows[off], None if weights is None else weights[off]


def read(source: Source, *, undirected: bool = False) -> tuple[Shape, list[Piece]]:
    """Read a graph: its shape, and pieces of its edges, all of them in range.

    Of an undirected one, both numbers of the shape are the number of vertices.

    Raises
    ------
    FormatError
        The file does not follow its format, or asks for too much; names the file and the line.
    """
    found, total = [], 0
    try:
        shape, pieces = _reader(source)(source)
        for piece in pieces:
            total += piece[0].size
            source.limits.check(source.path, EACH * total)
            found.append(piece)
        if shape is None:
            n_rows, n_cols = (
                1 + max((int(piece[side].max(initial=-1)) for piece in found), default=-1)
                for side in (0, 1)
            )
            shape = (max(n_rows, n_cols),) * 2 if undirected else (n_rows, n_cols)
        source.limits.check(source.path, EACH * (sum(shape) + total))
        for rows, cols, _ in found:
            ends_of("row", rows, shape[0])
            ends_of("column", cols, shape[1], rows.size)
    except ProofError as error:  # below, and of the checker's functions
        raise source.error(str(error)) from None
    if undirected and shape[0] != shape[1]:
        raise source.error(f"an undirected graph has a square matrix, not {shape[0]} × {shape[1]}")
    return shape, found


def _reader(source: Source) -> Callable[[Source], Found]:
    """Return the reader of a format that the suffix tells, or else the option."""
    suffix, compression = suffixes(source.path)
    wanted = suffix if source.format is None else source.format.lower()
    dotted = "." + wanted.lstrip(".")
    found = [name for name, (known, _) in FORMATS.items() if wanted == name or dotted in known]
    if not found:
        wrong = f"{wanted!r} is no format; known are {', '.join(FORMATS)}"
        raise source.error(wrong) if source.format is None else OptionError(wrong)
    name, reader = found[0], FORMATS[found[0]][1]
    if compression and reader in (_npz, _parquet, _folder):
        raise source.error(f"{name} files are not compressed once more")
    if source.base and reader not in (_edge_list, _parquet):
        raise OptionError(f"base={source.base}, but the format {name} has a base of its own")
    if not source.left is source.right is None and reader is not _parquet:
        raise OptionError(f"left and right name columns of Parquet files, not of {source.path}")
    if source.path.is_dir() and suffix not in (".berge", ".parquet") and source.format is None:
        raise IsADirectoryError(errno.EISDIR, "is a folder, not a graph file", str(source.path))
    return reader


def _matrix_market(source: Source) -> Found:
    """Read every stored entry of a matrix as an edge; of an array what is not zero."""
    lines = source.lines()
    words = next(iter(lines), b"")[:200].lower().split()
    if len(words) != 5 or words[:2] != [b"%%matrixmarket", b"matrix"]:
        raise lines.error("expected %%MatrixMarket matrix, format, field, symmetry")
    kind, field, symmetry = words[2:]
    if kind not in (b"coordinate", b"array") or (kind, field) == (b"array", b"pattern"):
        raise lines.error(f"cannot be {kind.decode('utf-8', 'replace')} in this field")
    if field not in FIELDS or symmetry not in SYMMETRIES:
        raise lines.error("field or symmetry is not known")
    source.refuse_weights(field == b"pattern")
    mirror, numbers = symmetry != b"general", 2 if field == b"complex" else 1
    names = "rows columns" if kind == b"array" else "rows columns entries"
    n_rows, n_cols, *count = lines.sizes(lines.heading(b"%", 4), names)
    if mirror and n_rows != n_cols:
        raise lines.error("a symmetric matrix must be square")
    shape = n_rows, n_cols
    if kind == b"array":
        entries = _dense(lines, shape, symmetry, numbers, source.weighted)
    else:
        numbers *= source.weighted
        entries = lines.pairs(b"%", 1, shape, count[0], numbers=numbers, signed=True)
    return shape, source.pieces(entries, mirror)


def _dense(
    lines: Lines, shape: Shape, symmetry: bytes, numbers: int, weighted: bool
) -> Iterator[Entry]:
    """Yield what is not zero of all values, column after column, or of the lower triangle."""
    n_rows, n_cols = shape
    split = (lines.words(line) for line in lines)
    words = (word for found in split if found and found[0][:1] != b"%" for word in found)
    for col in range(n_cols if n_rows else 0):
        top = 0 if symmetry == b"general" else col + (symmetry == b"skew-symmetric")
        for row in range(top, n_rows):
            value = list(islice(words, numbers))
            if len(value) < numbers:
                raise lines.error("file ends before all values are there")
            if any(list(map(lines.number_of, value))):  # a list, so that all are looked at
                yield row, col, lines.weight(value, numbers, True) if weighted else 0.0
    if next(words, None) is not None:
        raise lines.error("more numbers than the header announces")


def _edge_list(source: Source) -> Found:
    """Read a row and a column a line, after comments, one with the sizes, and a line of words."""
    lines = source.lines()
    shape = count = None
    passed = 0
    for line in lines:
        text = line.strip()
        if text[:1] in (b"#", b"%"):
            if sizes := SIZES.fullmatch(text):
                n_rows, n_cols, count = map(int, sizes.groups())
                shape = n_rows, n_cols
        elif any(word[:1] in b"+-0123456789" for word in lines.words(text)):
            lines.back(line)
            break
        elif line.strip(b" \t"):
            passed += 1
            if passed == 2:
                raise lines.error("neither an edge nor a comment")
    else:
        if passed:
            raise lines.error("a line of words, and no edges")
    numbers = int(source.weighted)
    return shape, source.pieces(lines.pairs(b"#%", source.base, shape, count, numbers=numbers))


def _dimacs(source: Source) -> Found:
    """Read the arcs of ``p sp n m``, or the edges of ``p edge n m`` in both directions."""
    lines = source.lines()
    words = lines.heading(b"c", 4)
    if words[0] != b"p" or len(words) != 4 or words[1] not in PROBLEMS:
        raise lines.error("expected 'p', sp or edge or col, vertices, lines")
    n, count = lines.sizes(words[2:], "vertices lines")
    tag, comments = PROBLEMS[words[1]]
    source.refuse_weights(tag == b"e")
    entries = lines.pairs(comments, 1, (n, n), count, tag=tag, numbers=int(source.weighted))
    return (n, n), source.pieces(entries, tag == b"e")


def _metis(source: Source) -> Found:
    """Read the neighbours of a vertex a line; sizes and weights of vertices are passed over."""
    lines = source.lines()
    words = lines.heading(b"%", 4)
    words += [b"0", b"1"][max(len(words) - 2, 0) :]
    n, edges, form, constraints = lines.sizes(words, "vertices edges [fmt [ncon]]")
    if form not in (0, 1, 10, 11, 100, 101, 110, 111) or constraints >= 2**31:
        raise lines.error(f"fmt {form} must be up to three digits 0 or 1, ncon below 2³¹")
    source.refuse_weights(form % 10 == 0)
    lead = form // 100 + (constraints if form // 10 % 10 else 0)
    least = 0 if source.weighted else -MOST
    return (n, n), source.pieces(_neighbours(lines, n, edges, lead, 1 + form % 10, least))


def _neighbours(
    lines: Lines, n: int, edges: int, lead: int, stride: int, least: int
) -> Iterator[Entry]:
    """Yield entries of lines with `lead` numbers and then groups of a neighbour and its weight."""
    vertex = ends = 0
    for line in lines:
        words = lines.words(line)
        if words and words[0][:1] == b"%":
            continue
        place, col = -lead, 0
        for word in words:
            if vertex == n:
                raise lines.error(f"more than the {n} vertices that the header announces")
            if place >= 0 and place % stride == 0:
                col = lines.whole(word, 1, n) - 1
            weight = lines.whole(word, least)
            place += 1
            if place > 0 and place % stride == 0:
                ends += 1
                yield vertex, col, float(weight)
        if vertex < n:
            if place < 0 or place % stride:
                raise lines.error("line ends where another number must follow")
            vertex += 1
    if vertex < n:
        raise lines.error(f"file ends after {vertex} of {n} vertices")
    if ends != 2 * edges:
        raise lines.error(f"{ends} neighbours, but {edges} edges have {2 * edges} ends")


def _hmetis(source: Source) -> Found:
    """Read the vertices of a net a line; weights of nets and of vertices are passed over."""
    lines = source.lines()
    words = lines.heading(b"%", 3)
    nets, n, form = lines.sizes([*words, b"0"][:3], "nets vertices [fmt]")
    if form not in (0, 1, 10, 11):
        raise lines.error(f"fmt {form} must be 1, 10 or 11")
    source.refuse_weights()
    return (nets, n), source.pieces(_pins(lines, (nets, n), form))


def _pins(lines: Lines, shape: tuple[int, int], form: int) -> Iterator[Entry]:
    """Yield entries of so many nets; then go past the weights of vertices, if there are any."""
    nets, n = shape
    place, lead, weights = 0, form % 10, n if form > 9 else 0
    for line in lines:
        words = lines.words(line)
        if words and words[0][:1] == b"%":
            continue
        if words and place >= nets + weights:
            raise lines.error(f"more than {nets} nets and {weights} weights of vertices")
        if place < nets:
            if not words and form:
                raise lines.error("a net of nothing")
            for word in words[:lead]:
                lines.whole(word, 0)
            for word in words[lead:]:
                yield place, lines.whole(word, 1, n) - 1, 0.0
        elif place < nets + weights:
            if len(words) != 1:
                raise lines.error("not one weight of a vertex")
            lines.whole(words[0], 0)
        place += 1
    if place < nets + weights:
        raise lines.error(f"file ends after {place} of {nets + weights} lines")


def _npz(source: Source) -> Found:
    """Read an archive: ours, or one of ``scipy.sparse.save_npz``."""
    with Archive(source.path, source.limits) as archive:
        sizes = archive.array("shape", "iu", 1)[:3].tolist()
        if len(sizes) != 2 or min(sizes) < 0:
            raise source.error(f"'shape' must be two whole numbers ≥ 0, not {sizes}")
        n_rows, n_cols = sizes
        kind = (archive.text("format") if "format" in archive else "") or "csr"
        source.refuse_weights(kind in ("bsr", "dia") or "data" not in archive)
        weights = _absolute(archive.array("data", "biufc", 1)) if source.weighted else None
        if kind == "dia":
            offsets, data = archive.array("offsets", "i", 1), archive.array("data", "biufc", 2)
            return (n_rows, n_cols), _diagonals(offsets, data, n_rows, n_cols)
        if kind == "coo":
            rows, cols = (archive.array(name, "iu", 1).astype(np.int64) for name in ("row", "col"))
            return (n_rows, n_cols), iter([(rows, cols, weights)])
        if kind not in ("csr", "csc", "bsr"):
            raise source.error(f"format {kind[:40]!r} is not one of scipy.sparse's")
        places = archive.array("indptr", "iu", 1), archive.array("indices", "iu", 1)
        if kind == "bsr":
            blocks = archive.array("data", "biufc", 3)
            return (n_rows, n_cols), _blocks(*places, blocks.shape, n_rows, n_cols)
    if kind == "csr":
        return (n_rows, n_cols), _compressed(*places, n_rows, weights)
    turned = _compressed(*places, n_cols, weights)
    return (n_rows, n_cols), ((rows, cols, values) for cols, rows, values in turned)


def _absolute(data: Any) -> Any:
    """Return absolute values; of the least of integers there is none in its own type."""
    values = data if data.dtype.kind == "c" else data.astype(np.float64)
    return np.abs(values).astype(np.float64)


def _compressed(indptr: Any, indices: Any, n_rows: int, weights: Any = None) -> Iterator[Piece]:
    """Yield the edges of compressed rows; indices behind the last row are none."""
    ends, cols = indptr.astype(np.int64), indices.astype(np.int64)
    if ends.size != n_rows + 1 or ends[-1] > cols.size:
        raise ProofError(f"indptr does not fit {n_rows} rows and {cols.size} indices")
    if weights is not None and weights.size != ends[-1]:
        raise ProofError(f"{weights.size} weights for {ends[-1]} edges")
    return edges_of_rows(ends, lambda lo, hi: cols[lo:hi], weights)


def _blocks(
    indptr: Any, indices: Any, size: tuple[int, int, int], n_rows: int, n_cols: int
) -> Iterator[Piece]:
    """Yield all entries of blocks, whose places are compressed rows."""
    count, height, width = size
    if count != indices.size or 0 in (height, width) or n_rows % height or n_cols % width:
        raise ProofError(f"{size} blocks do not fit {n_rows} × {n_cols}")
    inside = np.arange(height * width if count else 0)
    for tops, lefts, _ in _compressed(indptr, indices, n_rows // height):
        ends_of("block", lefts, n_cols // width)  # before a product could be too large
        rows = tops[:, None] * height + inside // width
        cols = lefts[:, None] * width + inside % width
        yield rows.ravel(), cols.ravel(), None


def _diagonals(offsets: Any, data: Any, n_rows: int, n_cols: int) -> Iterator[Piece]:
    """Yield what is not zero: data[k, j] is in column j and row j − offsets[k], if there is one."""
    if data.shape[0] != offsets.size:
        raise ProofError(f"{offsets.size} offsets for {data.shape[0]} diagonals")
    diagonals, cols = np.nonzero(data[:, :n_cols])
    rows = cols - offsets.astype(np.int64)[diagonals]
    there = (rows >= 0) & (rows < n_rows)
    yield rows[there], cols[there], None


def _folder(source: Source) -> Found:
    """Read a .berge folder, if it has all the checksums that it notes."""
    source.refuse_weights()
    place = source.path / "meta.json"
    meta = read_json(read_bytes(place, source.limits), place, source.limits)
    sizes: Any = [meta.get(name) for name in ("rows", "cols", "edges")]
    if meta.get("format") != "berge" or meta.get("version") != 1:
        raise FormatError("not the meta.json of a .berge folder of version 1", place)
    if any(type(size) is not int or not 0 <= size < 2**62 for size in sizes):
        raise FormatError(f"sizes must be whole numbers ≥ 0, not {sizes}", place)
    n_rows, n_cols, edges = sizes
    wide = np.dtype(np.int32 if max(n_rows, n_cols) < 2**31 else np.int64)
    arrays = []
    for name, size, dtype in (("indptr", n_rows + 1, np.dtype(np.int64)), ("indices", edges, wide)):
        file = source.path / f"{name}.npy"
        with damage_told(file):
            array = array_of(read_bytes(file, source.limits), "i", 1)
            if array.dtype != dtype or array.size != size:
                raise ValueError(f"{array.size} of {array.dtype}, not {size} of {dtype}")
        step = SUM_OF // array.itemsize
        noted = [zlib.crc32(array[k : k + step]) for k in range(0, size, step)]
        arrays.append((array, noted))
    (indptr, of_indptr), (indices, of_indices) = arrays
    with damage_told(place, what="not all of a .berge folder"):
        # As text, in which 1 and 1.0 differ.
        told = json.dumps([*sizes, *(meta["checksums"][name] for name in ("indptr", "indices"))])
        mark = hashlib.blake2b(told.encode(), digest_size=16).hexdigest()
        if told != json.dumps([*sizes, of_indptr, of_indices]) or meta["fingerprint"] != mark:
            raise FormatError("checksums or fingerprint do not fit: damaged or changed", place)
    if indptr[-1] != edges:
        raise source.error(f"indptr ends at {indptr[-1]} of {edges} edges")
    return (n_rows, n_cols), _compressed(indptr, indices, n_rows)


def _parquet(source: Source) -> Found:
    """Read two columns of whole numbers, of a file or of all Parquet files of a folder."""
    source.refuse_weights()
    try:
        import pyarrow
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError:
        raise OptionError('Parquet files need pyarrow: pip install "berge[parquet]"') from None
    files = [source.path]
    if source.path.is_dir():
        kinds = (".parquet", ".parq", ".pq")
        inside = sorted(file for file in source.path.iterdir() if not file.name.startswith("."))
        files = [file for file in inside if file.name.endswith(kinds)]
        if not files:
            raise source.error("no .parquet files in the folder")

    def pieces() -> Iterator[Piece]:
        for file in files:
            with damage_told(file, what="not a Parquet or Arrow file, or damaged"):
                if source.path.suffix.lower() in (".feather", ".arrow"):
                    table = pyarrow.ipc.open_file(file).read_all()
                    table.validate(full=True)  # else lengths may point anywhere
                    names = _columns(table.column_names, source)
                    batches = iter(table.to_batches())
                else:
                    table = pyarrow.parquet.ParquetFile(file)
                    names = _columns(table.schema_arrow.names, source)
                    batches = table.iter_batches(CHUNK, columns=names)
                for batch in batches:
                    yield *(whole(file, batch, name) for name in names), None

    def whole(file: Path, batch: Any, name: str) -> Any:
        column = batch.column(name)
        if not pyarrow.types.is_integer(column.type) or column.null_count:
            raise FormatError(f"column {name!r} has something else than whole numbers", file)
        values = column.to_numpy()
        if values.size and (values.min() < source.base or values.max() > 2**62):
            raise FormatError(f"column {name!r} has a number below {source.base}", file)
        return values.astype(np.int64) - source.base

    return None, pieces()


def _columns(names: list[str], source: Source) -> list[str]:
    """Return the names of two columns: those given, else the first that are left."""
    given = [name for name in (source.left, source.right) if name is not None]
    free = [name for name in names if name not in given]
    chosen = [
        free.pop(0) if name is None and free else name for name in (source.left, source.right)
    ]
    found = [name for name in chosen if name is not None and names.count(name) == 1]
    if len(set(found)) < 2:
        wrong = f"{chosen} are not two columns of {names}, each with a name of its own"
        raise OptionError(wrong) if given else source.error(wrong)
    return found


FORMATS: dict[str, tuple[tuple[str, ...], Callable[[Source], Found]]] = {
    "matrix-market": ((".mtx",), _matrix_market),
    "edge-list": ((".txt", ".tsv", ".csv", ".el", ".edges"), _edge_list),
    "metis": ((".graph", ".metis"), _metis),
    "hmetis": ((".hgr",), _hmetis),
    "dimacs": ((".gr",), _dimacs),
    "npz": ((".npz",), _npz),
    "parquet": ((".parquet", ".pq", ".feather", ".arrow"), _parquet),
    "folder": ((".berge",), _folder),
}
