"""What every part does in a solve, on Dask and MPI alike: read, start, search, prove, write.

A `Session` is one part's state from the graph to the result. Dask's workers and MPI's ranks run the
same one; they differ in their communicator, and in what a worker keeps for when another is lost
(`berge.distributed.worker`).

A checkpoint is gone on from only where that is asked for. Without `resume`, a folder that holds one
is refused before the graph is read; with it, a folder that holds none is begun in.
"""

from __future__ import annotations

import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import CheckpointError, ClusterError, OptionError, ProofError
from ..files.parts import complete, write_part
from ..graphs.graph import index_type
from ..results.run import PhaseReport
from .checkpoint import Checkpoint
from .communicator import Array, Communicator
from .core import STARTS, PartResult, Saver, match_part
from .greedy import GreedyPart, Weights, greedy_part
from .messages import collect, nothing, to_all, total
from .part import Part
from .proof import prove_part

__all__ = ["Session", "check_options", "save_parts"]


def check_options(init: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of `Session.search` with the start; refuse what it does not know."""
    if init not in ("auto", *STARTS):
        raise OptionError(f"init on a cluster is one of {', '.join(STARTS)}, not {init!r}")
    for name in options:
        if name not in ("exhaust", "alpha"):
            raise OptionError(f"{name!r} is no option of a solve on a cluster")
    return options if init == "auto" else options | {"init": init}


class Session:
    """One part's state in a solve. All methods are collective, but `arrays`.

    Attributes
    ----------
    comm
        How it talks to the other parts.
    part, result
        What it has of the graph and of the matching; None until it has any.
    edges
        Edges of the whole graph.
    pairs
        The result of `greedy`, or None.
    cover
        Number of rows and of columns in the cover that proved the matching, or None.
    resumed
        The phase of the checkpoint that it went on from, or None.
    """

    def __init__(self, comm: Communicator):
        self.comm = comm
        self.part: Part | None = None
        self.result: PartResult | None = None
        self.pairs: GreedyPart | None = None
        self.checkpoint: Checkpoint | None = None
        self.cover: list[int] | None = None
        self.resumed: int | None = None
        self.edges = 0
        self._began = 0.0

    def search(
        self,
        make_part: Callable[[Communicator], Part],
        *,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
        time_limit: float | None = None,
        on_phase: Callable[[PhaseReport], Any] | None = None,
        **options: Any,
    ) -> PartResult:
        """Read the part, and find a maximum matching; `options` are those of `match_part`.

        The time limit counts from this call, reading included.
        """
        self._began = begin = time.perf_counter()
        self.checkpoint = None if checkpoint is None else Checkpoint(checkpoint)
        there = self.checkpoint is not None and self._sees(self.checkpoint, resume)
        self.part = part = make_part(self.comm)
        (self.edges,) = total(self.comm, part.nnz)
        read = time.perf_counter() - begin
        first = None if there else self.first(part)
        if there and self.checkpoint is not None:
            options["init"] = "none"  # a checkpoint has the start in it
            first, self.resumed = self.checkpoint.load(self.comm, part)
        if time_limit is not None:
            time_limit = max(0.0, time_limit - (time.perf_counter() - self._began))
        self.result = result = match_part(
            part,
            self.comm,
            row_match=first,
            checkpoint=self.saver(part, first),
            time_limit=time_limit,
            on_phase=on_phase,
            **options,
        )
        whole = {"total": time.perf_counter() - self._began}
        result.stats.seconds = {"read": read} | result.stats.seconds | whole
        return result

    def greedy(
        self, make_part: Callable[[Communicator], tuple[Part, Weights | None]], **options: Any
    ) -> GreedyPart:
        """Read a part of an undirected graph, find a maximal matching, and check it.

        The `options` are those of `greedy_part`. There are no checkpoints: a few exchanges do it.
        """
        self.part, weights = make_part(self.comm)
        pairs = greedy_part(self.part, self.comm, weights, **options)
        if not pairs.is_maximal:
            raise ProofError(f"the check failed, which is a bug: {pairs.reason}")
        self.pairs = pairs
        return pairs

    def first(self, part: Part) -> Array | None:
        """Return a matching to begin with, where there is no checkpoint to go on from."""
        return None

    def saver(self, part: Part, first: Array | None) -> Saver | None:
        """Return what saves the matching after every phase."""
        return self.checkpoint

    def _sees(self, checkpoint: Checkpoint, resume: bool) -> bool:
        """Tell whether there is a checkpoint to go on from; refuse one that nobody asked for."""
        (seen,) = total(self.comm, checkpoint.exists())
        folder, size = checkpoint.folder, self.comm.size
        if 0 < seen < size:
            raise ClusterError(
                f"the checkpoint {folder} is seen by {seen} of {size} parts: "
                "it must lie on storage that they share"
            )
        if seen and not resume:
            raise CheckpointError(
                f"{folder} holds a checkpoint: go on from it with --resume "
                "(resume=True in Python), or remove it"
            )
        return seen > 0

    def prove(self) -> None:
        """Check the matching and a cover of its size, if it is complete."""
        part, result = self._done()
        if not result.complete:
            return
        with self._timed("prove"):
            assert result.row_cover is not None
            assert result.col_cover is not None
            cover = result.row_cover, result.col_cover
            proof = prove_part(part, self.comm, result.row_match, result.col_match, cover)
            if not (proof.valid and proof.maximum):
                raise ProofError(f"the proof failed, which is a bug: {proof.reason}")
            sizes = (int(np.count_nonzero(side)) for side in (proof.row_cover, proof.col_cover))
            result.row_cover, result.col_cover = proof.row_cover, proof.col_cover
            self.cover = total(self.comm, *sizes)

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write the matching to a folder, with the cover if it was proved."""
        part, result = self._done()
        stats = result.stats
        facts: dict[str, Any] = {
            "cardinality": stats.cardinality,
            "upper_bound": stats.upper_bound,
            "edges": self.edges,
        }
        if self.cover is not None:
            facts["cover"] = self.cover
        with self._timed("write"):
            save_parts(folder, self.comm, part, self.arrays(), facts)

    def arrays(self) -> dict[str, Any]:
        """Return the result's arrays by name, with the cover if it was proved."""
        part, result = self._done()
        index = index_type(part.n_rows, part.n_cols)
        arrays: dict[str, Any] = {
            "row_match": result.row_match.astype(index),
            "col_match": result.col_match.astype(index),
        }
        if self.cover is not None:
            arrays |= {"row_cover": result.row_cover, "col_cover": result.col_cover}
        return arrays

    def _done(self) -> tuple[Part, PartResult]:
        assert self.part is not None
        assert self.result is not None
        return self.part, self.result

    @contextmanager
    def _timed(self, step: str) -> Iterator[None]:
        """Note the seconds of a step, and those until now."""
        begin = time.perf_counter()
        yield
        seconds = self._done()[1].stats.seconds
        seconds[step] = time.perf_counter() - begin
        seconds["total"] = time.perf_counter() - self._began


def save_parts(
    folder: str | os.PathLike[str],
    comm: Communicator,
    part: Part,
    arrays: Mapping[str, npt.NDArray[Any]],
    facts: Mapping[str, Any],
) -> None:
    """Write this part's arrays; the folder is there once all have been written. Collective.

    The `arrays` are ``row_match`` and ``col_match``, and of a proved matching ``row_cover`` and
    ``col_cover``. The `facts`, those of part 0, are what else ``meta.json`` is to tell,
    ``cardinality`` and ``upper_bound`` among it. A folder of that name that holds a matching in
    parts is replaced. Three exchanges.
    """
    target = Path(folder)
    token = np.array([secrets.randbits(48)], np.int64)
    received, _ = comm.exchange(to_all(comm, token))
    aside = target.parent / f".{target.name}.{int(received[0][0]):012x}.tmp"
    try:
        mine = write_part(aside, (part.rank, part.size), part.rows, part.cols, arrays)
        parts = collect(comm, mine)
        if comm.rank == 0:
            complete(aside, target, (part.n_rows, part.n_cols), facts, parts)
        comm.exchange(nothing(comm))  # nobody returns before the folder is there
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
