"""Checkpoints: the matching after each phase, in a folder that all parts can write to.

::

    ck/
      matching-5d0a77c1-000007-00000-of-00004.npy    mates of the rows of part 0 after phase 7
      …
      manifest.json                                  phase, graph, rows and checksum of every file

Any valid matching is a place to go on from, on any number of parts. Each part writes its file aside
and renames it. When all files are there, part 0 writes the manifest in the same way: from then on
the phase counts. So whatever happens, the manifest tells of a phase that is complete. Every run has
a number in the names of its files, so that it writes over no file of another run's manifest. Files
of the phase before the last one, and of runs before, are removed.

The graph is known by its sizes and the sum of its parts' fingerprints.
"""

from __future__ import annotations

import secrets
from operator import index
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import CheckpointError, FormatError
from ..files.manifest import digest, file_in, load_array, read_manifest, save_array, write_json
from .communicator import Array, Communicator
from .messages import collect, deliver, together
from .part import Part

_FORMAT, _VERSION = "berge checkpoint", 1


class Checkpoint:
    """A folder with the matching of the last complete phase.

    Examples
    --------
    >>> import berge, tempfile
    >>> from berge.distributed.checkpoint import Checkpoint
    >>> from berge.distributed.communicator import Alone
    >>> from berge.distributed.core import match_part
    >>> from berge.distributed.part import Part
    >>> part = Part.from_graph(berge.generate.chain(9), 0, 1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = match_part(part, Alone(), checkpoint=Checkpoint(folder))
    ...     row_match, phase = Checkpoint(folder).load(Alone(), part)
    >>> int((row_match >= 0).sum()), phase
    (9, 1)
    """

    def __init__(self, folder: str | PathLike[str]):
        self.folder = Path(folder)
        self._graph: dict[str, Any] = {}
        self._run = ""  # how the names of this run's files begin
        # Files of phases before, by part: parts that are threads may have one checkpoint.
        self._old: dict[int, list[Path]] = {}

    @property
    def manifest(self) -> Path:
        """The file that makes a checkpoint one."""
        return self.folder / "manifest.json"

    def save(self, comm: Communicator, part: Part, row_match: Array, phase: int) -> None:
        """Write this part's share; the manifest, last, makes it count. Collective, one exchange.

        (And one more the first time.)
        """
        self._know(comm, part)
        name = f"{self._run}-{phase:06}-{part.rank:05}-of-{part.size:05}.npy"
        self.folder.mkdir(parents=True, exist_ok=True)
        sha256 = save_array(self.folder / name, row_match)
        rows = [part.rows.start, part.rows.stop]
        files = collect(comm, {"name": name, "rows": rows, "sha256": sha256})
        # Part 0 came here after it had written the manifest of the last phase.
        old = self._old.get(comm.rank, [])
        for path in old[:-1]:
            path.unlink(missing_ok=True)
        self._old[comm.rank] = [*old[-1:], self.folder / name]
        if comm.rank == 0:
            content = {"format": _FORMAT, "version": _VERSION, "phase": phase, **self._graph}
            content["files"] = files
            write_json(self.manifest, content | {"sha256": digest(content)})
            for path in self.folder.glob("*matching-*"):
                if self._run not in path.name:
                    path.unlink(missing_ok=True)

    def load(self, comm: Communicator, part: Part) -> tuple[Array, int]:
        """Return the mates of this part's rows, and the phase. Collective, on any number of parts.

        Raises
        ------
        CheckpointError
            On all parts alike, naming the file that is missing, damaged, or of another graph.
        """
        self._know(comm, part)
        with together(comm):
            try:
                content = self._read()
                row_match, phase = self._mates(part, content["files"]), int(content["phase"])
            except (OSError, FormatError) as error:
                raise CheckpointError(str(error)) from None
            except (LookupError, OverflowError, TypeError, ValueError) as error:
                raise CheckpointError(f"{self.manifest}: not all of one: {error!r}") from None
        return row_match, phase

    def _know(self, comm: Communicator, part: Part) -> None:
        """Learn by what the whole graph is known. One exchange, the first time."""
        if self._graph:
            return
        # A sum of 64-bit numbers, mod 2⁶⁴, by halves: notes are signed.
        low, high = part.fingerprint & 0xFFFFFFFF, part.fingerprint >> 32
        notes = deliver(comm, [], [low, high, part.nnz, secrets.randbits(32)])[1]
        self._run = f"matching-{notes[0, 3]:08x}"
        sums = notes.sum(axis=0).tolist()
        fingerprint = (sums[0] + (sums[1] << 32)) % (1 << 64)
        self._graph = {
            "shape": [part.n_rows, part.n_cols],
            "edges": sums[2],
            "fingerprint": f"{fingerprint:016x}",
        }

    def _read(self) -> dict[str, Any]:
        """Return what the manifest says; it must be of this graph."""
        path = self.manifest
        if not path.exists():
            raise CheckpointError(f"{path}: no checkpoint there")
        content = read_manifest(path, _FORMAT, _VERSION, "a checkpoint")
        if content.pop("sha256", "") != digest(content):
            raise CheckpointError(f"{path}: damaged, its checksum is wrong")
        if any(content.get(key) != value for key, value in self._graph.items()):
            raise CheckpointError(
                f"{path}: a checkpoint of another graph, with "
                f"shape {content.get('shape')} and {content.get('edges')} edges"
            )
        return content

    def _mates(self, part: Part, files: list[dict[str, Any]]) -> Array:
        """Read the files that have rows of this part, and check them."""
        rows = part.rows
        row_match = np.full(len(rows), -1, np.int64)
        for entry in files:
            first, last = map(index, entry["rows"])
            low, high = max(first, rows.start), min(last, rows.stop)
            if 0 <= first <= low < high <= last <= part.n_rows:
                path = file_in(self.folder, entry["name"])
                mates = load_array(path, entry["sha256"], np.dtype(np.int64), last - first)
                if mates.min() < -1 or mates.max() >= part.n_cols:
                    raise FormatError(f"a mate is not in −1 … {part.n_cols - 1}", path)
                row_match[low - rows.start : high - rows.start] = mates[low - first : high - first]
        return row_match
