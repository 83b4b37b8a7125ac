"""From edges in any order to a ``.berge`` folder, in bounded memory: an external counting sort.

    read     the source, piece by piece. When a piece's worth of edges is in memory, they are
             counting-sorted by *buckets* of rows, and written to the disk as a *run*.
    sort     bucket after bucket, as many as fit at a time: their edges, which lie together in each
             run, are sorted by row and column, made unique, and appended to the folder.

Every edge is written twice and read twice. The largest row so far decides how wide buckets are, so
the shape need not be known beforehand. A bucket that does not fit is cut into parts of its rows
that do, and read once for each part.

What is under way lies in a work folder beside the target, ``graph.berge.partial/``: finished runs,
and how far the result has got. Whatever stops it, ``kill -9`` too, the next call with the same
source goes on after the last finished piece. If the source has another size or time since, or is
read in another way, the call begins anew. Nothing is left of the work if the source is not what it
should be. The target appears when all is written.

Work O(edges · log of what fits in memory), memory about as given, disk 8 bytes an edge for the
runs besides the result (16 from 2³¹ vertices on).
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..compile import kernel
from ..errors import BergeError, FormatError, OptionError
from ..graphs.graph import IndexArray, unsigned
from .aside import PathName, new_folder
from .files import naming, write_array
from .folder import META, Folder, Writer
from .manifest import check_target, digest, read_json, write_json
from .streams import Position, Stream

DEFAULT_MEMORY = 1 << 30
LEAST_MEMORY = 1 << 20
_BUCKETS = 1 << 14  # at most
_READ_BYTES = 32  # of memory for an edge while reading, and while sorting
_SORT_BYTES = 40
_WINDOW = 1 << 20  # edges of a run to read at a time
_COMPLETE = "complete"

Progress = Callable[[str, "float | None", int], object]


def disk_bytes(edges: int, index_bytes: int) -> int:
    """Return the bytes of disk that runs of so many edges take, besides the result."""
    return 2 * index_bytes * edges


def work_folder(target: PathName) -> Path:
    """Return the folder in which a conversion keeps what it has done."""
    target = Path(os.path.realpath(target))
    return target.with_name(f"{target.name}.partial")


def convert_stream(
    stream: Stream,
    target: PathName,
    *,
    memory: int = DEFAULT_MEMORY,
    progress: Progress | None = None,
) -> Folder:
    """Convert a stream of edges to a folder, going on where an earlier call was broken off.

    Parameters
    ----------
    stream
        Where the edges come from; see `streams.open_stream`.
    target
        The ``.berge`` folder to write.
    memory
        Bytes to work in, about.
    progress
        Called with the step (``"reading"``, ``"sorting"``), the share of it that is done or None,
        and the edges so far.
    """
    if memory < LEAST_MEMORY:
        raise OptionError(f"memory must be at least {LEAST_MEMORY} bytes, not {memory}")
    check_target(target)
    show = progress or (lambda step, share, edges: None)
    with _working(work_folder(target)) as work:
        memory = _begin(work, stream, memory)
        try:
            runs = _read(work, stream, memory // _READ_BYTES, show)
        except BergeError:  # it has to be changed, and to be read anew then
            shutil.rmtree(work)
            raise
        largest = max(run.rows for run in runs), max(run.cols for run in runs)
        shape = largest if stream.shape is None else stream.shape
        result = work / "result"
        _sort(work, runs, shape, memory // _SORT_BYTES, result, show)
        with new_folder(target) as folder:
            # Without this file the result is no longer complete: what is done counts as moved.
            for name in sorted(os.listdir(result), key=lambda name: name != META):
                os.rename(result / name, folder / name)
        shutil.rmtree(work)
    return Folder(target)


@contextmanager
def _working(work: Path) -> Iterator[Path]:
    """Hold the work folder: one process at a time."""
    work.mkdir(exist_ok=True)
    with open(work / "lock", "w") as lock:
        with suppress(ImportError):  # Windows has no fcntl
            import fcntl

            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise BlockingIOError(
                    errno.EAGAIN, "another process is working here", str(work)
                ) from None
        yield work


def edges_read(stream: Stream, target: PathName) -> int:
    """Return how many edges an earlier call, broken off since, has read for good."""
    work = work_folder(target)
    return sum(run.size for run in _runs(work)) if _memory(work, _job(stream)) else 0


def _begin(work: Path, stream: Stream, memory: int) -> int:
    """Note what the work is for, or throw away what is for something else; return its memory."""
    job = _job(stream)
    if noted := _memory(work, job):
        return noted
    for path in work.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != "lock":
            path.unlink()
    _note(work / "job.json", job | {"memory": memory})
    return memory


def _job(stream: Stream) -> dict[str, Any]:
    """Return what a work folder is for."""
    places = [Path(stream.path)]
    if places[0].is_dir():
        places = sorted(places[0].glob("*.parquet"))
    return {
        "version": 1,
        "source": os.path.realpath(stream.path),
        "settings": stream.settings,
        "files": [[p.name, p.stat().st_size, p.stat().st_mtime_ns] for p in places],
    }


def _memory(work: Path, job: dict[str, Any]) -> int:
    """Return the memory of a job that is under way in the work folder, 0 if it is not."""
    noted = _noted(work / "job.json") or {}
    moved = _noted(work / "result.json") == _COMPLETE and not (work / "result" / META).exists()
    same = not moved and job == {name: noted.get(name) for name in job}
    return int(noted["memory"]) if same else 0


def _note(path: Path, content: Any) -> None:
    """Write a file that says how far the work has come, with its checksum."""
    write_json(path, {"content": content, "sha256": digest(content)})


def _noted(path: Path) -> Any:
    """Return what such a file says; None if it is not there or damaged: that work is done anew."""
    try:
        noted = read_json(path)
        sound = noted["sha256"] == digest(noted["content"])
    except (FileNotFoundError, FormatError, LookupError, RecursionError, TypeError, ValueError):
        return None
    return noted["content"] if sound else None


@dataclass(frozen=True)
class Run:
    """A finished run on the disk: where buckets begin in it, then all rows, then all columns."""

    path: Path
    size: int
    shift: int
    buckets: int
    dtype: str
    rows: int
    cols: int
    position: Position
    last: bool

    def starts(self) -> npt.NDArray[np.int64]:
        """Read the places where buckets begin; one more is the end."""
        starts = np.fromfile(self.path, np.int64, self.buckets + 1)
        sound = starts.size == self.buckets + 1 and starts[0] == 0 and starts[-1] == self.size
        if not sound or (starts[1:] < starts[:-1]).any():
            raise self._damaged()
        return starts

    def read(self, lo: int, hi: int) -> tuple[IndexArray, IndexArray]:
        """Read rows and columns of the edges from one place to another."""
        index = np.dtype(self.dtype)
        head = 8 * (self.buckets + 1)
        rows, cols = (
            np.fromfile(self.path, index, hi - lo, offset=head + at * index.itemsize)
            for at in (lo, self.size + lo)
        )
        for ends, size in ((rows, self.rows), (cols, self.cols)):
            if ends.size != hi - lo or (ends.size and not 0 <= ends.min() <= ends.max() < size):
                raise self._damaged()
        return rows, cols

    def _damaged(self) -> FormatError:
        return FormatError("damaged: remove the folder that it is in, to begin anew", self.path)


def _runs(work: Path) -> list[Run]:
    """Return the runs that are finished."""
    runs: list[Run] = []
    while noted := _noted(path := work / f"run-{len(runs):05}.json"):
        runs.append(Run(path.with_suffix(".bin"), **noted))
    return runs


def _read(work: Path, stream: Stream, edges: int, show: Progress) -> list[Run]:
    """Turn the source into runs of so many edges; those that are there are not made again."""
    runs = _runs(work)
    if runs and runs[-1].last:
        return runs
    total = sum(run.size for run in runs)
    pieces: list[tuple[IndexArray, IndexArray]] = []
    waiting, position = 0, runs[-1].position if runs else None
    for piece in stream.pieces(position):
        pieces.append((piece.rows, piece.cols))
        waiting += piece.rows.size
        position = piece.position
        show("reading", piece.share, total + waiting)
        if waiting >= edges:
            runs.append(_write_run(work, len(runs), pieces, position, last=False))
            total, waiting, pieces = total + waiting, 0, []
    runs.append(_write_run(work, len(runs), pieces, position or {}, last=True))
    return runs


def _write_run(
    work: Path,
    number: int,
    pieces: list[tuple[IndexArray, IndexArray]],
    position: Position,
    *,
    last: bool,
) -> Run:
    """Sort edges by buckets of rows and write them."""
    rows, cols = (
        max((int(piece[side].max(initial=-1)) for piece in pieces), default=-1) + 1
        for side in (0, 1)
    )
    size = sum(piece[0].size for piece in pieces)
    shift = _shift(rows)
    buckets = (max(rows - 1, 0) >> shift) + 1
    index = np.dtype(np.int32 if max(rows, cols) < 2**31 else np.int64)
    starts = np.zeros(buckets + 1, np.int64)
    for piece in pieces:
        starts[1:] += np.bincount(piece[0] >> shift, minlength=buckets)
    np.cumsum(starts, out=starts)
    ends = np.empty((2, size), index)
    places = starts.copy()
    for piece in pieces:
        distribute(unsigned(piece[0]), unsigned(piece[1]), shift, places, ends[0], ends[1])
    path = work / f"run-{number:05}.bin"
    with open(path, "wb", buffering=0) as file, naming(path):
        write_array(file, starts)
        write_array(file, ends)
        os.fsync(file.fileno())
    run = Run(path, size, shift, buckets, index.name, rows, cols, position, last)
    noted = asdict(run)
    del noted["path"]
    _note(path.with_suffix(".json"), noted)
    return run


@kernel
def distribute(rows: Any, cols: Any, shift: int, places: Any, out_rows: Any, out_cols: Any) -> None:
    """Put edges where the next one of their bucket goes."""
    for k in range(rows.size):
        bucket = np.int64(rows[k]) >> shift
        place = places[bucket]
        out_rows[place], out_cols[place] = rows[k], cols[k]
        places[bucket] = place + 1


def _sort(
    work: Path,
    runs: list[Run],
    shape: tuple[int, int],
    edges: int,
    result: Path,
    show: Progress,
) -> None:
    """Write the rows of the folder in groups of so many edges, from the first that is missing."""
    noted = work / "result.json"
    state = _noted(noted)
    if state == _COMPLETE:
        return
    result.mkdir(exist_ok=True)
    total = sum(run.size for run in runs)
    done = 0
    with Writer(result, shape, state) as writer:
        for group in _groups(runs, shape, edges):
            if group.hi > writer.rows:
                keys = group.keys(runs, shape[1])
                keys.sort()
                first = np.ones(keys.size, np.bool_)
                np.not_equal(keys[1:], keys[:-1], out=first[1:])
                rows, cols = np.divmod(keys[first], max(shape[1], 1))
                del keys, first
                writer.append(np.bincount(rows, minlength=group.hi - group.lo), cols)
                _note(noted, writer.state())
            done += group.size
            show("sorting", done / max(total, 1), done)
        writer.close()
    _note(noted, _COMPLETE)


@dataclass(frozen=True)
class _Group:
    """Rows to be sorted together: how many edges they have, and where to look for them."""

    lo: int
    hi: int
    size: int
    places: npt.NDArray[np.int64]  # from and to, in each run
    has_others: bool  # besides theirs there are edges of other rows

    def pieces(self, runs: list[Run]) -> Iterator[tuple[IndexArray, IndexArray]]:
        """Read the edges, window by window."""
        for run, (first, last) in zip(runs, self.places.tolist(), strict=True):
            for at in range(first, last, _WINDOW):
                rows, cols = run.read(at, min(at + _WINDOW, last))
                mine = (rows >= self.lo) & (rows < self.hi)
                if self.has_others:
                    rows, cols = rows[mine], cols[mine]
                elif not mine.all():
                    raise run._damaged()
                yield rows, cols

    def keys(self, runs: list[Run], n_cols: int) -> npt.NDArray[np.int64]:
        """Return the edges as numbers that sort as they should."""
        keys = np.empty(self.size, np.int64)
        at = 0
        for rows, cols in self.pieces(runs):
            room = keys[at : at + rows.size]
            np.subtract(rows, self.lo, out=room)
            room *= n_cols
            room += cols
            at += rows.size
        return keys

    def parts(self, runs: list[Run], edges: int) -> Iterator[_Group]:
        """Cut rows that have too many edges into runs of rows that have not, if possible."""
        counts = np.zeros(self.hi - self.lo, np.int64)
        for rows, _ in self.pieces(runs):
            counts += np.bincount(rows - self.lo, minlength=counts.size)
        for lo, hi in _cut(counts, edges, counts.size):
            size = int(counts[lo:hi].sum())
            yield _Group(self.lo + lo, self.lo + hi, size, self.places, has_others=True)


def _groups(runs: list[Run], shape: tuple[int, int], edges: int) -> Iterator[_Group]:
    """Cut the rows into groups of at most so many edges."""
    n_rows, n_cols = shape
    if n_rows == 0:
        return
    shift = max(_shift(n_rows), *(run.shift for run in runs))
    buckets = np.arange(((n_rows - 1) >> shift) + 2)
    # Where each bucket begins in each run; those of a run may be narrower.
    places = np.array(
        [run.starts()[np.minimum(buckets << (shift - run.shift), run.buckets)] for run in runs]
    )
    counts = np.diff(places, axis=1).sum(axis=0)
    most = max(1, min(edges, 2**62 // max(n_cols, 1)) >> shift)
    for first, last in _cut(counts, edges, most):
        lo, hi = first << shift, min(last << shift, n_rows)
        size = int(counts[first:last].sum())
        group = _Group(lo, hi, size, places[:, [first, last]], has_others=False)
        if size > edges:
            yield from group.parts(runs, edges)
        else:
            yield group


def _cut(counts: npt.NDArray[np.int64], edges: int, most: int) -> Iterator[tuple[int, int]]:
    """Cut into pieces of at most `most` counts that add up to at most `edges`, or of one."""
    ends = np.cumsum(counts)
    first = 0
    while first < counts.size:
        before = int(ends[first - 1]) if first else 0
        last = int(np.searchsorted(ends, before + edges, side="right"))
        last = min(max(last, first + 1), first + most, counts.size)
        yield first, last
        first = last


def _shift(rows: int) -> int:
    """Return by how many bits the number of a row is longer than that of its bucket."""
    return max(0, max(rows - 1, 0).bit_length() - (_BUCKETS - 1).bit_length())
