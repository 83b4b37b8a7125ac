"""Folders of CSR arrays (``graph.berge/``): graphs that need not fit in memory.

Three files: ``indptr.npy`` (int64), ``indices.npy`` (int32, or int64 from 2³¹ vertices on) and
``meta.json`` with the sizes, a checksum of every 64 MiB of each array, and a fingerprint of the
graph. Indices are sorted within a row, and no edge is there twice. The two arrays are ordinary
.npy files: ``numpy.load(..., mmap_mode="r")`` opens them too.

Opening compares sizes, headers and lengths of files; checksums are compared where all of an array
is read: by `Folder.load`, by the first pass of a solve out of core, and by `Folder.check`. Arrays
are read in windows, by plain reads into buffers and not through a mapping, so that limits on a
process's memory mean what they say.

A folder appears under its name only when all of it is written.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ..errors import FormatError, InvalidGraphError
from ..graphs.graph import BipartiteGraph, Graph, IndexArray, check_indptr, index_type, unsigned
from ..graphs.memory import fits
from ..graphs.owned import fixed, settle
from . import manifest, npy
from .aside import PathName, in_place, new_folder
from .files import naming, split_suffix, write_array
from .limits import Limits
from .manifest import Checksums, check_target, fingerprint, read_manifest, write_json
from .remote import (
    PARTS,
    Copy,
    copied,
    here,
    is_url,
    named,
    part_of,
    plain,
    sent,
    shown,
    size_of,
    slice_of,
)

FORMAT, VERSION, META = "berge", 1, "meta.json"
_BUFFER = 1 << 22  # bytes at a time where all of an array passes through
_Numbers = TypeVar("_Numbers", bound=npt.NDArray[Any])
_HEADER = 128  # bytes of the header of our .npy files, whatever their length


def is_folder(path: PathName) -> bool:
    """Tell whether a path is named like a folder of CSR arrays."""
    return split_suffix(path) == (".berge", "")


class Folder:
    """A ``.berge`` folder, opened for reading; nothing of its arrays is in memory.

    Parameters
    ----------
    path
        The folder.
    check
        Whether to compare the checksums, which reads all of it.
    limits
        How much of it may be in memory.

    Raises
    ------
    FormatError
        Names the file, and what is wrong with it.

    Attributes
    ----------
    shape, nnz
        Rows and columns; edges.
    index
        Type of the column indices.
    fingerprint
        The same for the same graph, whoever wrote it: see `fingerprint_of`.

    Examples
    --------
    >>> import berge, tempfile
    >>> from berge.files.folder import Folder
    >>> with tempfile.TemporaryDirectory() as tmp:
    ...     berge.write(berge.as_bipartite(([0, 1, 1], [1, 0, 1])), f"{tmp}/graph.berge")
    ...     Folder(f"{tmp}/graph.berge").slice(1, 2)
    (array([0, 2]), array([0, 1], dtype=int32))
    """

    def __init__(self, path: PathName, *, check: bool = False, limits: Limits | None = None):
        self.path, self.limits = in_place(path), limits or Limits()
        self._copy = path if isinstance(path, Copy) else None  # which goes with this
        meta = self._meta()
        self.shape: tuple[int, int] = meta["rows"], meta["cols"]
        self.nnz: int = meta["edges"]
        self.index = np.dtype(index_type(*self.shape))
        self.fingerprint: str = meta["fingerprint"]
        self._sums: dict[str, list[int]] = meta["checksums"]
        sizes = {"indptr": self.n_rows + 1, "indices": self.nnz}
        self._starts = {name: self._open(name, size) for name, size in sizes.items()}
        if check:
            self.check()

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.shape[0])

    @property
    def n_cols(self) -> int:
        """Number of columns."""
        return int(self.shape[1])

    @property
    def nbytes(self) -> int:
        """Bytes of the two arrays."""
        return 8 * (self.n_rows + 1) + self.index.itemsize * self.nnz

    def indptr(self, lo: int = 0, hi: int | None = None) -> npt.NDArray[np.int64]:
        """Read ``indptr[lo:hi]``."""
        hi = self.n_rows + 1 if hi is None else hi
        return self._read("indptr", lo, np.empty(hi - lo, np.int64))

    def indices(
        self, lo: int = 0, hi: int | None = None, out: IndexArray | None = None
    ) -> IndexArray:
        """Read ``indices[lo:hi]``, into the beginning of `out` if that is given; see `pieces`."""
        hi = self.nnz if hi is None else hi
        array: IndexArray = np.empty(hi - lo, self.index) if out is None else out
        return self.pieces(np.array([lo]), np.array([hi]), array)

    def pieces(self, lows: IndexArray, highs: IndexArray, out: IndexArray) -> IndexArray:
        """Read ``indices[lo:hi]`` for several places, in order, into the beginning of `out`.

        Raises FormatError if they cannot be columns, whatever the file held when it was opened.
        """
        start, end = self._starts["indices"], 0
        content: Any = memoryview(out.view(np.uint8))  # type: ignore[arg-type]
        with open(self.file("indices"), "rb", buffering=0) as file:
            spans = [
                (start + lo * out.itemsize, (hi - lo) * out.itemsize)
                for lo, hi in zip(lows.tolist(), highs.tolist(), strict=True)
            ]
            if len(spans) > 1 and hasattr(os, "posix_fadvise"):  # so that all are under way at once
                for place, size in spans:
                    os.posix_fadvise(file.fileno(), place, size, os.POSIX_FADV_WILLNEED)
            for place, size in spans:
                self._fill("indices", file, place, content[end : end + size])
                end += size
        out = out[: end // out.itemsize]
        columns = unsigned(out)
        if end and columns.max() >= self.n_cols:
            k = int(np.argmax(columns >= self.n_cols))
            before = np.cumsum(highs - lows)
            piece = int(np.searchsorted(before, k, side="right"))
            raise FormatError(
                f"indices[{highs[piece] - before[piece] + k}] = {out[k]} is not in "
                f"0 … {self.n_cols - 1}",
                self.file("indices"),
            )
        return out

    def slice(self, row_lo: int, row_hi: int) -> tuple[npt.NDArray[np.int64], IndexArray]:
        """Read the rows ``row_lo … row_hi − 1`` as CSR: `indptr` from 0, `indices` of columns.

        Raises FormatError if they cannot be rows of the graph.
        """
        indptr = self.indptr(row_lo, row_hi + 1)
        rises = bool(np.all(indptr[1:] >= indptr[:-1]))
        if not rises or indptr[0] < 0 or indptr[-1] > self.nnz:
            raise FormatError(f"rows {row_lo} … {row_hi} have no places", self.file("indptr"))
        return indptr - indptr[0], self.indices(int(indptr[0]), int(indptr[-1]))

    def load(self) -> BipartiteGraph:
        """Read all of it into memory, and validate it as any graph."""
        indptr, indices = self.places(), self.indices()
        try:
            graph = BipartiteGraph._adopted(indptr, indices, self.shape)
        except InvalidGraphError as error:
            raise FormatError(str(error), self.file("indices")) from error
        self.compare("indices", Checksums().add(indices))
        return graph

    def places(self) -> IndexArray:
        """Read all of `indptr`, and check that it is one; int32 where counts allow it."""
        needed = 8 * (self.n_rows + 1)
        self.limits.check(self.shape, self.nnz, self.file("indptr"), needed=needed)
        content = self.indptr()
        try:
            indptr, _ = check_indptr(content, self.n_rows, self.nnz)
        except InvalidGraphError as error:
            raise FormatError(str(error), self.file("indptr")) from error
        if indptr[-1] != self.nnz:
            raise FormatError(f"ends at {indptr[-1]} of {self.nnz} edges", self.file("indptr"))
        self.compare("indptr", Checksums().add(content))
        return indptr

    def mapped(self) -> IndexArray:
        """Map the column indices into memory, read-only: a copy of them, in a file without a name.

        If the file itself were mapped, whoever cuts it short would end this process, and whoever
        changes it would lead kernels astray.
        """
        if self.nnz == 0:  # nothing cannot be mapped
            return np.empty(0, self.index)
        beside = self.path.absolute().parent
        room = beside if os.access(beside, os.W_OK) else None
        with naming(beside), tempfile.TemporaryFile(buffering=0, dir=room) as file:
            sums = Checksums()
            for lo in range(0, self.nnz, _BUFFER):
                piece = self.indices(lo, min(lo + _BUFFER, self.nnz))
                sums.add(piece)
                write_array(file, piece)
            self.compare("indices", sums)
            return np.memmap(file, self.index, "r", shape=(self.nnz,))

    def check(self) -> None:
        """Compare the checksums; raise FormatError at the first that is wrong."""
        for name, start in self._starts.items():
            sums = Checksums()
            with open(self.file(name), "rb", buffering=0) as file:
                file.seek(start)
                while piece := file.read(_BUFFER):
                    sums.add(piece)
            self.compare(name, sums)

    def compare(self, name: str, sums: Checksums) -> None:
        """Raise FormatError at the first checksum of an array that is not the one noted."""
        for k, (found, noted) in enumerate(zip(sums.all, self._sums[name], strict=True)):
            if found != noted:
                raise FormatError(
                    f"the checksum of part {k} (of {manifest.CHUNK >> 20} MiB) does not match: "
                    "the file was damaged or changed",
                    self.file(name),
                )

    def file(self, name: str) -> Path:
        """Return the file of an array, ``indptr`` or ``indices``."""
        return self.path / f"{name}.npy"

    def _meta(self) -> dict[str, Any]:
        place = self.path / META
        try:
            meta = read_manifest(place, FORMAT, VERSION, "a .berge folder")
        except (FileNotFoundError, NotADirectoryError):
            if not self.path.exists():
                raise FileNotFoundError(errno.ENOENT, "no such folder", str(self.path)) from None
            raise FormatError(
                f"not a graph: a .berge folder has a file {META}", self.path
            ) from None
        for name in ("rows", "cols", "edges"):
            size = meta.get(name)
            if type(size) is not int or not 0 <= size < 2**62:
                raise FormatError(f"{name} must be a whole number ≥ 0, not {size!r}", place)
        shape, edges, sums = (meta["rows"], meta["cols"]), meta["edges"], meta.get("checksums")
        index_bytes = np.dtype(index_type(*shape)).itemsize
        for name, size in (("indptr", 8 * (shape[0] + 1)), ("indices", index_bytes * edges)):
            noted: Any = sums.get(name) if isinstance(sums, dict) else None
            places = -(-size // manifest.CHUNK)
            as_many = isinstance(noted, list) and len(noted) == places
            if not as_many or not all(type(x) is int for x in noted):
                raise FormatError(f"the checksums of {name} are missing, or not as many", place)
        if meta.get("fingerprint") != fingerprint(shape, edges, meta["checksums"]):
            raise FormatError("the fingerprint does not fit the rest: it was changed", place)
        return meta

    def _open(self, name: str, size: int) -> int:
        """Check the header and the length of an array's file; return where its data begins."""
        place = self.file(name)
        dtype = self.index if name == "indices" else np.dtype(np.int64)
        try:
            with open(place, "rb") as file:
                header = npy.read_header(file, os.fstat(file.fileno()).st_size)
        except FileNotFoundError:
            raise FormatError("the file is missing", place) from None
        except ValueError as error:
            raise FormatError(str(error), place) from None
        if header.dtype != dtype or header.shape != (size,):
            asked = f"{META} asks for {(size,)} of {dtype}"
            raise FormatError(f"has shape {header.shape} of {header.dtype}; {asked}", place)
        return header.start

    def _read(self, name: str, lo: int, array: _Numbers) -> _Numbers:
        """Fill an array from place `lo` of a file on."""
        content: Any = memoryview(array.view(np.uint8))  # type: ignore[arg-type]
        with open(self.file(name), "rb", buffering=0) as file:
            self._fill(name, file, self._starts[name] + lo * array.itemsize, content)
        return array

    def _fill(self, name: str, file: FileIO, place: int, content: memoryview) -> None:
        file.seek(place)
        while (size := file.readinto(content)) < len(content):
            if size == 0:
                raise FormatError("the file has become shorter", self.file(name))
            content = content[size:]


class FolderElsewhere(Folder):
    """A folder at a URL, of which a part of a graph reads its own rows.

    The sizes and `indptr` are copied; of `indices` what is asked for, to the same place in a file
    that has nothing else.
    """

    def __init__(self, url: str):
        copy = copied(url, names=PARTS[:2])
        self._indices = part_of(url, PARTS[2])
        size = size_of(self._indices)
        with named(copy, shown(url)):
            with open(os.path.join(copy, PARTS[2]), "wb") as file:
                file.write(slice_of(self._indices, 0, min(size, 1 << 12)))
                file.truncate(size)
            super().__init__(copy)

    def pieces(self, lows: IndexArray, highs: IndexArray, out: IndexArray) -> IndexArray:
        """Read ``indices[lo:hi]`` for several places, there and then here."""
        start, item = self._starts["indices"], self.index.itemsize
        with open(self.file("indices"), "r+b") as file:
            for lo, hi in zip(lows.tolist(), highs.tolist(), strict=True):
                file.seek(start + lo * item)
                file.write(slice_of(self._indices, start + lo * item, start + hi * item))
        return super().pieces(lows, highs, out)


class _Array:
    """An .npy file that grows; its state says where to go on after a crash."""

    def __init__(self, path: Path, dtype: Any, state: dict[str, Any] | None = None):
        self.dtype = np.dtype(dtype)
        self.size: int = state["size"] if state else 0
        self.sums = Checksums(state["sums"] if state else (), self.size * self.dtype.itemsize)
        mode = "r+b" if state else "wb"
        self.file = open(path, mode, buffering=0)  # noqa: SIM115 (until `close`)
        end = _HEADER + self.size * self.dtype.itemsize
        self.file.truncate(end)
        self.file.seek(end)

    def append(self, values: npt.NDArray[Any]) -> None:
        content = np.ascontiguousarray(values, self.dtype)
        self.sums.add(content)
        with naming(self.file.name):
            write_array(self.file, content)
        self.size += values.size

    def state(self) -> dict[str, Any]:
        """Return what has been written, once it is on the disk."""
        os.fsync(self.file.fileno())
        return {"size": self.size, "sums": self.sums.all}

    def close(self) -> None:
        """Write the header, and what it takes to know that everything is there."""
        text = repr({"descr": self.dtype.str, "fortran_order": False, "shape": (self.size,)})
        head = b"\x93NUMPY\x01\x00" + (_HEADER - 10).to_bytes(2, "little")
        self.file.seek(0)
        self.file.write(head + text.encode().ljust(_HEADER - 11) + b"\n")
        os.fsync(self.file.fileno())


class Writer:
    """Writes the files of a folder, row after row, in pieces of any size; a context manager.

    Parameters
    ----------
    folder
        An existing folder, not yet under the name it will have; see `writing`.
    shape
        Rows and columns.
    state
        What `state` returned before a crash, to go on from there.
    """

    def __init__(
        self, folder: PathName, shape: tuple[int, int], state: dict[str, Any] | None = None
    ):
        self.folder, self.shape = Path(folder), shape
        arrays = (("indptr", np.int64), ("indices", index_type(*shape)))
        self._indptr, self._indices = (
            _Array(self.folder / f"{name}.npy", dtype, state and state[name])
            for name, dtype in arrays
        )
        if state is None:
            self._indptr.append(np.zeros(1, np.int64))

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self._indptr.file.close()
        self._indices.file.close()

    @property
    def rows(self) -> int:
        """Rows written so far."""
        return self._indptr.size - 1

    def append(self, degrees: npt.NDArray[Any], indices: npt.NDArray[Any]) -> None:
        """Append rows: how many columns each has, and all their columns, sorted and each once."""
        ends = np.cumsum(degrees, dtype=np.int64)
        assert (ends[-1] if ends.size else 0) == indices.size
        self._indptr.append(ends + self._indices.size)
        self._indices.append(indices)

    def state(self) -> dict[str, Any]:
        """Return what has been written, fit for JSON, once it is on the disk."""
        return {"indptr": self._indptr.state(), "indices": self._indices.state()}

    def close(self) -> None:
        """Write headers and ``meta.json``: the folder is complete."""
        assert self.rows == self.shape[0]
        edges = self._indices.size
        sums = {"indptr": self._indptr.sums.all, "indices": self._indices.sums.all}
        self._indptr.close()
        self._indices.close()
        meta = {
            "format": FORMAT,
            "version": VERSION,
            "rows": self.shape[0],
            "cols": self.shape[1],
            "edges": edges,
            "dtypes": {"indptr": "int64", "indices": self._indices.dtype.name},
            "fingerprint": fingerprint(self.shape, edges, sums),
            "checksums": sums,
        }
        write_json(self.folder / META, meta)


@contextmanager
def writing(path: PathName, shape: tuple[int, int]) -> Iterator[Writer]:
    """Write a folder aside; it takes its name at the end, and if anything goes wrong, never.

    Examples
    --------
    >>> import berge, numpy as np, tempfile
    >>> from berge.files.folder import writing
    >>> with tempfile.TemporaryDirectory() as tmp:
    ...     with writing(f"{tmp}/two.berge", (2, 3)) as folder:
    ...         folder.append(np.array([2, 1]), np.array([0, 1, 1]))
    ...     berge.read(f"{tmp}/two.berge")
    BipartiteGraph(2 × 3, 3 edges)
    """
    path = plain(path)
    if is_url(path):
        with sent(os.fspath(path)) as copy, writing(copy, shape) as folder:
            yield folder
        return
    check_target(path)
    with new_folder(path) as aside, Writer(aside, shape) as writer:
        yield writer
        writer.close()


def fingerprint_of(graph: BipartiteGraph) -> str:
    """Return the fingerprint that the folder of a graph has; see `write`.

    Of the arrays as they are: equal graphs have equal ones if both have sorted indices and no
    duplicates. O(edges).
    """
    sums = {"indptr": Checksums(), "indices": Checksums()}
    for name, array, dtype in (
        ("indptr", graph.indptr, np.dtype(np.int64)),
        ("indices", graph.indices, np.dtype(index_type(*graph.shape))),
    ):
        for k in range(0, array.size, _BUFFER):
            sums[name].add(np.ascontiguousarray(array[k : k + _BUFFER], dtype))
    return fingerprint(graph.shape, graph.nnz, {name: s.all for name, s in sums.items()})


class FolderGraph(BipartiteGraph):
    """A graph whose edges stay on the disk: `window` reads them, `indices` maps them.

    In memory is `indptr` alone. What works on `indices` works on a mapping of a copy of the file,
    at the speed of a disk that is read in no order; ``maximum_matching`` and ``prove`` go by
    windows.
    """

    __slots__ = ()

    on_disk = True
    folder = fixed[Folder]()

    def __init__(self, folder: Folder):
        self.folder, self.shape = folder, folder.shape
        self.row_labels = self.col_labels = None
        self.indptr = folder.places()
        settle(self, "nonempty_cols", self.n_cols)  # as far as is known before edges are read

    @fixed
    def indices(self) -> IndexArray:
        """The columns, mapped."""
        return self.folder.mapped()

    def __reduce__(self) -> Any:
        return FolderGraph, (self.folder,)

    def window(self, lo: int, hi: int, out: IndexArray | None = None) -> IndexArray:
        """Read ``indices[lo:hi]``, into the beginning of `out` if that is given."""
        return self.folder.indices(lo, hi, out)

    @fixed
    def col_degrees(self) -> IndexArray:
        """Number of entries of each column, by reading all of them."""
        degrees = np.zeros(self.n_cols, self.indptr.dtype)
        for lo in range(0, self.nnz, _BUFFER):
            cols = self.window(lo, min(lo + _BUFFER, self.nnz))
            degrees += np.bincount(cols, minlength=self.n_cols).astype(degrees.dtype)
        return degrees


def open_if_large(source: Any, *, always: bool = False) -> Any:
    """Open a folder that is too large for memory, or `always`; return anything else as it is."""
    if not isinstance(source, (str, os.PathLike)) or not is_folder(source):
        return source
    with here(source) as path:
        folder = Folder(path)
        return path if fits(folder.shape, folder.nnz) and not always else FolderGraph(folder)


def read(path: PathName, *, limits: Limits | None = None) -> BipartiteGraph:
    """Read a folder into memory if a solve has room there; see `berge.read`."""
    folder = Folder(path, limits=limits)
    memory = None if limits is None else limits.memory
    return folder.load() if fits(folder.shape, folder.nnz, memory) else FolderGraph(folder)


def read_graph(path: PathName, *, weights: Any = True, limits: Limits | None = None) -> Graph:
    """Read the folder of a square graph, which has no weights of its own."""
    if weights is True:
        raise FormatError("a .berge folder has no weights", path)
    folder = Folder(path, limits=limits)
    folder.limits.check(folder.shape, folder.nnz, path)
    return Graph.from_bipartite(folder.load(), weights)


def write(graph: BipartiteGraph, path: PathName) -> None:
    """Write a graph as a folder, with sorted indices and without duplicates."""
    if not _in_order(graph):
        graph = graph.without_duplicates()
    with writing(path, graph.shape) as folder:
        rows = max(1, _BUFFER // 8)
        for lo in range(0, graph.n_rows, rows):
            ends = graph.indptr[lo : lo + rows + 1]
            folder.append(np.diff(ends), graph.indices[ends[0] : ends[-1]])


def _in_order(graph: BipartiteGraph) -> bool:
    """Tell whether the indices rise within every row."""
    for lo in range(1, graph.nnz, _BUFFER):
        hi = min(lo + _BUFFER, graph.nnz)
        falls = np.flatnonzero(graph.indices[lo:hi] <= graph.indices[lo - 1 : hi - 1]) + lo
        # Only where a row begins may they fall.
        places = np.searchsorted(graph.indptr, falls)
        if np.any(graph.indptr[places] != falls):
            return False
    return True
