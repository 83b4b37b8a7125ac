"""What every part does in a solve, on Dask and MPI alike: read, start, search, prove, write.

A `Session` is one part's state from the graph to the result. Dask's workers and MPI's ranks run the
same one; they differ in their communicator, and in what a worker keeps for when another is lost
(`berge.distributed.worker`).

A checkpoint is gone on from only where that is asked for. Without `resume`, a folder that holds one
is refused before the graph is read; with it, a folder that holds none is begun in.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import CheckpointError, ClusterError, OptionError, ProofError
from ..files.aside import beside, new_folder, token_of
from ..files.files import replacing
from ..files.parts import check_pairs_place, complete, write_part, write_table
from ..files.remote import is_url, listed, part_of, shown
from ..graphs.graph import index_type
from ..solve.default import choose_start_in_parts
from .checkpoint import Checkpoint
from .communicator import Array, Communicator
from .core import PartResult, Saver, match_part
from .greedy import GreedyPart, greedy_part
from .messages import collect, deliver, nothing, together, total
from .part import Part
from .part_run import PartRun
from .proof import prove_part
from .two_lists import TwoLists


def check_options(init: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of `Session.search` with the start; refuse what it does not know."""
    for name in options:
        if name not in ("exhaust", "alpha", "gather"):
            raise OptionError(f"{name!r} is no option of a solve on a cluster")
    choose_start_in_parts(init)
    return options | {"init": init}


class Session:
    """One part's state in a solve. All methods are collective, but `arrays`.

    Attributes
    ----------
    run
        How it talks to the other parts, and when they stop. The time limit counts from when it was
        made, reading included.
    part, result
        What it has of the graph and of the matching; None until it has any.
    pairs
        The result of `greedy`, or None.
    """

    def __init__(self, comm: Communicator, **under_way: Any):
        self.run = PartRun(comm, **under_way)
        self.part: Part | None = None
        self.result: PartResult | None = None
        self.pairs: GreedyPart | None = None
        self.checkpoint: Checkpoint | None = None

    def search(
        self,
        make_part: Callable[[Communicator], Part],
        *,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
        **options: Any,
    ) -> PartResult:
        """Read the part, and find a maximum matching; `options` are those of `match_part`."""
        self.checkpoint = None if checkpoint is None else Checkpoint(checkpoint)
        there = self.checkpoint is not None and self._sees(self.checkpoint, resume)
        part, edges = self._read(make_part)
        first, phase = None if there else self.first(part), None
        if there and self.checkpoint is not None:
            options["init"] = "none"  # a checkpoint has the start in it
            first, phase = self.checkpoint.load(self.run, part)
        if self.checkpoint is not None and self.run.size == 1:
            options.setdefault("gather", False)  # by phases, each of which is saved
        saver = self.saver(part, first)
        result = match_part(part, self.run, row_match=first, checkpoint=saver, **options)
        result.stats.edges, result.stats.resumed_phase = edges, phase
        self.result = result
        return result

    def greedy(
        self,
        make_part: Callable[[Communicator], Part],
        *,
        output: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> GreedyPart:
        """Read a part of an undirected graph, find a maximal matching, and check it.

        The `options` are those of `greedy_part`. There are no checkpoints: a few exchanges do it.
        Of two lists, the pairs are written to a folder: a Parquet file a part, a row a pair.
        """
        part, _ = self._read(make_part)
        self.pairs = pairs = greedy_part(part, self.run, **options)
        if not pairs.valid or not (pairs.is_maximal or pairs.stopped):
            raise ProofError(f"the check failed, which is a bug: {pairs.reason}")
        if output is not None:
            self._write_pairs(output)
        return pairs

    def _write_pairs(self, output: str | os.PathLike[str]) -> None:
        """Write the pairs of two lists. The folder, or its ``_SUCCESS``, is there when all are."""
        part, run = self.part, self.run
        assert self.pairs is not None
        with together(run):
            if not isinstance(part, TwoLists):
                raise OptionError("output is for pairs between two lists: name left and right")
        assert isinstance(part, TwoLists)
        with run.timed("write"):
            table = part.table(self.pairs.mate, run)
            name = f"part-{run.rank:05}-of-{run.size:05}.parquet"
            if is_url(output):
                with together(run):
                    if run.rank == 0 and listed(str(output)):
                        raise FileExistsError(f"{shown(output)} has files already: not replaced")
                with together(run):
                    write_table(table, part_of(str(output), name))
                with together(run):
                    if run.rank == 0:
                        with replacing(part_of(str(output), "_SUCCESS")):
                            pass
                return
            target = Path(os.path.realpath(output))
            with together(run):
                if run.rank == 0:
                    check_pairs_place(target)
                    target.parent.mkdir(parents=True, exist_ok=True)
            with new_folder(target) if run.rank == 0 else nullcontext() as new:
                token = deliver(run, [], [token_of(new) if new else 0])[1][0, 0]
                with together(run):
                    write_table(table, Path(beside(target, token)) / name)
            run.exchange(nothing(run))  # nobody returns before the folder is there

    def _read(self, make_part: Callable[[Communicator], Part]) -> tuple[Part, int]:
        """Make the part, and return it with the number of edges of the whole graph.

        Raises KeyboardInterrupt on all parts alike if they were to stop by now.
        """
        with self.run.timed("read"):
            self.part = part = make_part(self.run)
            notes = deliver(self.run, [], [self.run.wish, part.nnz])[1]
        self.run.heed(notes[:, 0])
        if self.run.stopped == "interrupted":
            raise KeyboardInterrupt
        return part, int(notes[:, 1].sum())

    def first(self, part: Part) -> Array | None:
        """Return a matching to begin with, where there is no checkpoint to go on from."""
        return None

    def saver(self, part: Part, first: Array | None) -> Saver | None:
        """Return what saves the matching after every phase."""
        return self.checkpoint

    def _sees(self, checkpoint: Checkpoint, resume: bool) -> bool:
        """Tell whether there is a checkpoint to go on from; refuse one that nobody asked for."""
        (seen,) = total(self.run, checkpoint.manifest.exists())
        folder, size = checkpoint.folder, self.run.size
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
        part, result = self.done
        if result.row_cover is None or result.col_cover is None:
            return
        with self.run.timed("prove"):
            cover = result.row_cover, result.col_cover
            proof = prove_part(part, self.run, result.row_match, result.col_match, cover)
            if not (proof.valid and proof.maximum):
                raise ProofError(f"the proof failed, which is a bug: {proof.reason}")
            sizes = (int(np.count_nonzero(side)) for side in cover)
            result.stats.cover = total(self.run, *sizes)
        self.run.seconds["total"] = self.run.elapsed

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write this part's arrays, with the cover if it was proved; three exchanges.

        The folder is there once all parts have written. One of that name that holds a matching in
        parts is replaced.
        """
        part, result = self.done
        stats = result.stats
        facts: dict[str, Any] = {
            "cardinality": stats.cardinality,
            "upper_bound": stats.upper_bound,
            "edges": stats.edges,
        }
        if stats.cover is not None:
            facts["cover"] = stats.cover
        run, target = self.run, Path(os.path.realpath(folder))
        with run.timed("write"):
            if run.rank == 0:
                target.parent.mkdir(parents=True, exist_ok=True)
            with new_folder(target) if run.rank == 0 else nullcontext() as new:
                token = deliver(run, [], [token_of(new) if new else 0])[1][0, 0]
                folder = Path(beside(target, token))
                mine = (part.rank, part.size), part.rows, part.cols
                parts = collect(run, write_part(folder, *mine, self.arrays()))
                if run.rank == 0:
                    complete(folder, target, (part.n_rows, part.n_cols), facts, parts)
            run.exchange(nothing(run))  # nobody returns before the folder is there
        run.seconds["total"] = run.elapsed

    def arrays(self) -> dict[str, Any]:
        """Return the result's arrays by name, with the cover if it was proved."""
        if self.pairs is not None:
            found: dict[str, Any] = {"mate": self.pairs.mate}
            if self.pairs.certificate is not None:
                found["prices"] = self.pairs.certificate.prices
            if isinstance(self.part, TwoLists):
                labels = [label for side in self.part.labels for label in side.to_pylist()]
                found["labels"] = np.fromiter(labels, object, len(labels))
                found["left"] = np.arange(len(labels)) < self.part.n_left
            return found
        part, result = self.done
        index = index_type(part.n_rows, part.n_cols)
        arrays: dict[str, Any] = {
            "row_match": result.row_match.astype(index),
            "col_match": result.col_match.astype(index),
        }
        if result.stats.cover is not None:
            arrays |= {"row_cover": result.row_cover, "col_cover": result.col_cover}
        return arrays

    @property
    def done(self) -> tuple[Part, PartResult]:
        """The part, and the result of `search`."""
        assert self.part is not None
        assert self.result is not None
        return self.part, self.result
