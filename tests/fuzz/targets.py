"""What is done with an input: every reader that takes such files, and a solve of what it accepts.

A target is given the path of the files in a folder of their own. It returns whether anything was
accepted. It lets through every error that a reader must not raise: all but those of `BergeError`
and those of the system, which name their file.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from contextlib import suppress
from itertools import permutations
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import berge
from berge import BergeError, BipartiteGraph, Graph, OptionError, as_bipartite
from berge.files import blocks, lines, read_graph

JOB = b"as berge writes it"  # in place of the job of a work folder
_SMALL = 2000  # vertices and edges of what is solved
COSTS = [[4, 1, 3], [2, 0, 5], [3, 2, 2]]
PAIRS = [0, 1, 2, 2, 0], [1, 2, 0, 3, 3], [6, 7, 6, 5, 4]  # ends, other ends, weights


def allowed(error: BaseException, path: Path | str = "") -> bool:
    """Tell whether a reader may raise this: ours, with the file's name, or the system's."""
    if isinstance(error, OptionError) and "column" in str(error):  # which to take is asked
        return True
    if isinstance(error, BergeError):
        return Path(path).name in str(error) and error.__class__.__module__.startswith("berge.")
    return isinstance(error, OSError) and error.errno is not None and error.filename is not None


def tried(path: Path, call: Callable[..., Any], *arguments: Any, **settings: Any) -> Any:
    """Return what a call returns, None if it raises what it may."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", berge.GuessWarning)
        warnings.filterwarnings("ignore", ".*src/io/", RuntimeWarning)  # igraph's
        try:
            return call(*arguments, **settings)
        except Exception as error:
            if not allowed(error, path):
                raise
            return None


def solve(graph: BipartiteGraph | Graph | None) -> bool:
    """Solve a small graph, and check the result; tell whether there was a graph."""
    if isinstance(graph, BipartiteGraph):
        if sum(graph.shape) + graph.nnz < _SMALL:
            matching = berge.maximum_matching(graph, threads=1)
            berge.verify(graph, matching, matching.prove(graph))
    elif isinstance(graph, Graph) and graph.n_vertices + graph.n_edges < _SMALL:
        berge.verify(graph, berge.greedy_matching(graph, method="suitor", threads=1))
    return graph is not None


def on_threads(path: Path, call: Callable[..., Any], *arguments: Any, **settings: Any) -> None:
    """Read on one thread and on several, by small runs: with the same result, or error."""
    told = []
    for least in (1 << 60, 0):
        with (
            patch.object(blocks, "SHARED_TEXT", least),
            patch.object(lines, "CHUNK", 16 + path.stat().st_size % 240),
        ):
            try:
                found = call(*arguments, **settings)
            except (BergeError, OSError) as error:
                told.append(str(error))
            else:
                arrays = found.indptr, found.indices, getattr(found, "weights", None)
                told.append([None if array is None else array.tolist() for array in arrays])
    assert told[0] == told[1], "not the same on several threads"


def graph_file(path: Path) -> bool:
    """Read a graph without and with weights."""
    based = path.name.startswith(("g.txt", "g.csv", "g.parquet", "g.arrow", "g.feather"))
    base = path.stat().st_size % 2 if based else 0
    if path.stat().st_size < _SMALL:
        tried(path, on_threads, path, berge.read, path, base=base)
        tried(path, on_threads, path, read_graph, path, base=base)
    plain = tried(path, berge.read, path, base=base)
    weighted = tried(path, read_graph, path, base=base)
    unweighted = tried(path, read_graph, path, base=base, weights=False)
    if weighted is not None and unweighted is not None:
        assert weighted.n_edges == unweighted.n_edges, "other edges with weights than without"
        assert np.array_equal(weighted.indices, unweighted.indices)
    values = tried(path, with_values, path, base)
    if values is not None and plain is not None and not path.name.startswith("g.npz"):
        assert (values.graph.shape, values.graph.nnz) == (plain.shape, plain.nnz), "not as without"
        assert edges_of(values.graph) == edges_of(plain), "other edges with values"
    signed = tried(path, signed_graph, path, base)
    if signed is not None and unweighted is not None:
        assert np.array_equal(signed.indices, unweighted.indices), "other edges with signs"
    return any([solve(plain), solve(weighted), solve(unweighted)])


def with_values(path: Path, base: int) -> Any:
    """Read a graph with the values that its file has, for `berge.assign`."""
    from berge.files import read_weighted
    from berge.ingest.weighted import _weighed_edges

    return _weighed_edges(*read_weighted(path, base=base))


def signed_graph(path: Path, base: int) -> Any:
    """Read a graph with the same, for heaviest matchings."""
    from berge.ingest.signed import read_signed

    return read_signed(path, base=base)


def named(path: Path) -> bool:
    """Read a file of another program as a bipartite graph, and as any graph."""
    plain = tried(path, berge.read, path)
    weighted = tried(path, read_graph, path)
    return any([solve(plain), solve(weighted), solve(tried(path, read_graph, path, weights=False))])


def hypergraph_file(path: Path) -> bool:
    """Read nets, without and with weights."""
    plain = tried(path, berge.read, path)
    weighted = tried(path, berge.read_hypergraph, path)
    assert (plain is None) == (weighted is None), "other nets with weights than without"
    if plain is not None:
        assert weighted.incidence.shape == plain.shape
        tried(path, berge.coarsen_hypergraph, weighted, levels=1)
    return solve(plain)


def label_file(path: Path) -> bool:
    """Read a table of names as the command line does."""
    from berge.cli.labels import read_labelled
    from berge.cli.options import GraphFile

    form = "csv" if path.name.startswith("g.csv") else "tsv"
    found = tried(path, read_labelled, GraphFile(path, form, 0, "1", "2"))
    return solve(found.graph if found else None)


def folder(path: Path) -> bool:
    """Read a .berge folder into memory, and solve it from the disk."""
    from berge.files.folder import Folder

    graph = tried(path, berge.read, path)
    opened = tried(path, Folder, path)
    if opened is not None and graph is not None:
        m = tried(path, berge.maximum_matching, path, algorithm="out-of-core", threads=1)
        assert m is None or m.cardinality == berge.maximum_matching(graph, threads=1).cardinality
    tried(path, read_graph, path, weights=False)
    return solve(graph)


def matching(path: Path) -> bool:
    """Read a matching of a bipartite graph, and check it against graphs."""
    found = tried(path, berge.Matching.load, path)
    if found is None or sum(found.row_match.shape + found.col_match.shape) > _SMALL:
        return found is not None
    for graph in (berge.generate.chain(9), BipartiteGraph.from_edges(
        *np.array(found.pairs(), np.int64).reshape(-1, 2).T, (found.n_rows, found.n_cols)
    )):  # fmt: skip
        with suppress(berge.ProofError):
            berge.verify(graph, found, found.prove(graph))
    tried(path, lambda: getattr(found, "certificate", None))
    return True


def parts(path: Path) -> bool:
    """Read a matching in parts, whose arrays are read when asked for."""
    found = tried(path, berge.Matching.load, path)
    if found is None or found.n_rows + found.n_cols > _SMALL:
        return found is not None
    graph = berge.generate.chain(9)
    if tried(path.parent, lambda: (found.row_match, found.col_match)) is not None:
        with suppress(berge.ProofError):
            berge.verify(graph, found)
        cover = tried(path.parent, lambda: found.certificate)
        with suppress(berge.ProofError):
            berge.verify(graph, found, cover)
    return True


def greedy(path: Path) -> bool:
    """Read a matching of a general graph, and check it against a graph."""
    found = tried(path, berge.GreedyMatching.load, path)
    if found is not None and found.mate.size < _SMALL:
        pairs = np.array(found.pairs(), np.int64).reshape(-1, 2)
        with suppress(berge.ProofError):
            berge.verify(Graph.from_edges(*pairs.T, found.mate.size), found)
    return found is not None


def assignment(path: Path) -> bool:
    """Read an assignment with its prices, and prove it if they do."""
    found = tried(path, berge.Assignment.load, path)
    if found is not None and sum(found.shape) < _SMALL:
        repr(found), found.pairs(), found.row_prices, found.unmatched_left
        for source in (COSTS, np.array(COSTS) / 4, [[1]]):
            with suppress(BergeError):
                found.prove(source)
                assert not is_better(found, np.array(source)), "proved, and not the best"
    return found is not None


def is_better(found: berge.Assignment, costs: Any) -> bool:
    """Tell whether one pair a vertex does better, where that is what was asked for."""
    sides = (found.row_side, found.col_side)
    plain = not any((side.capacity != 1).any() or side.least.any() for side in sides)
    if found.match != "full" or not plain or found.objective not in ("min", "max"):
        return False
    sums = [costs[range(len(costs)), p].sum() for p in permutations(range(len(costs)))]
    best = min(sums) if found.objective == "min" else max(sums)
    return bool(abs(found.total - best) > 1e-9)


def units(path: Path) -> bool:
    """Read a matching with capacities, and prove it if its cover does."""
    found = tried(path, berge.CapacityMatching.load, path)
    if found is not None and sum(found.shape) < _SMALL:
        repr(found), found.pairs(), found.free_left, found.unmatched_rows
        with suppress(BergeError):
            found.prove(as_bipartite(PAIRS[:2]))
    return found is not None


def odd_sets(path: Path) -> bool:
    """Read a heaviest matching with its prices, and prove it if they do."""
    found = tried(path, berge.WeightedMatching.load, path)
    if found is not None and found.mate.size < _SMALL:
        found.pairs(), found.named()
        for weights in (PAIRS[2], np.array(PAIRS[2]) / 4):
            with suppress(BergeError):
                found.prove((*PAIRS[:2], weights))
                near = (weight for weight in (11, 11 / 4) if abs(found.weight - weight) < 1e-7)
                assert found.minimise or any(near), "proved, and not the heaviest"
    return found is not None


def checkpoint(path: Path) -> bool:
    """Load the checkpoint of a chain of nine."""
    from berge.distributed.checkpoint import Checkpoint
    from berge.distributed.communicator import Alone
    from berge.distributed.core import match_part
    from berge.distributed.part import Part

    part = Part.from_graph(berge.generate.chain(9), 0, 1)
    found = tried(path, Checkpoint(path).load, Alone(), part)
    if found is not None:
        with suppress(berge.InvalidMatchingError):  # the graph has no such edges
            assert match_part(part, Alone(), row_match=found[0]).stats.cardinality == 9
    return found is not None


def hierarchy(path: Path) -> bool:
    """Load a coarsening, and check that its levels fit."""
    found = tried(path, berge.Hierarchy.load, path)
    if found is not None:
        with suppress(BergeError):
            found.check()
    return found is not None


def converting(path: Path) -> bool:
    """Go on with a conversion that was broken off."""
    from berge.files.convert import _job, _note, convert_stream, edges_read
    from berge.files.streams import open_stream

    target = path.parent / "g.berge"
    os.utime(path, ns=(0, 0))
    stream = tried(path, open_stream, path, "edge-list")
    if stream is None:
        return False
    job = Path(f"{target}.partial", "job.json")
    if job.exists() and job.read_bytes() == JOB:  # what it is for depends on where it is
        _note(job, _job(stream) | {"memory": 1 << 20})
    tried(path.parent, edges_read, stream, target)
    found = tried(path.parent, convert_stream, stream, target)
    return solve(tried(path.parent, berge.read, target) if found else None)


def portions(path: Path) -> bool:
    """Read a file piece by piece, and as a part of a cluster: the same edges as at once."""
    from berge.distributed.communicator import Alone
    from berge.distributed.sources import read_part
    from berge.files import format_of
    from berge.files.streams import open_stream

    plain = tried(path, berge.read, path)
    stream = tried(path, open_stream, path, format_of(path).name)
    pieces = None if stream is None else tried(path, lambda: list(stream.pieces(None)))
    part = tried(path, read_part, path, Alone())
    if plain is not None and pieces is not None:
        edges = set(zip(*edges_of(plain), strict=True))
        streamed = (zip(piece.rows.tolist(), piece.cols.tolist(), strict=True) for piece in pieces)
        assert edges == set().union(*streamed), "other edges in pieces"
        assert part is None or part.nnz >= len(edges), "other edges in a part"
    return solve(plain) or pieces is not None


def independent(path: Path) -> bool:
    """Read a graph by the checker's own readers: the same edges as by berge's, where both do."""
    from berge.checker.graphs import Source, read
    from berge.checker.untrusted import Limits

    plain = tried(path, berge.read, path)
    found = tried(path, read, Source(path, Limits(1 << 28)))
    if plain is not None and found is not None:
        shape, pieces = found
        theirs = (zip(rows.tolist(), cols.tolist(), strict=True) for rows, cols, _ in pieces)
        assert shape == plain.shape, "another shape"
        assert set().union(*theirs) == set(zip(*edges_of(plain), strict=True)), "other edges"
    return found is not None


def independent_matching(path: Path) -> bool:
    """Check a file against a chain of nine by the independent way, and by the other."""
    from berge.checker.graphs import Source
    from berge.checker.independent import verify
    from berge.checker.untrusted import Limits

    graph = berge.generate.chain(9)
    source = path.parent / "chain.mtx"
    berge.write(graph, source)
    verdict = tried(path.parent, verify, Source(source, Limits(1 << 28)), path)  # of either file
    if verdict is not None and len(verdict.shape) == 2:
        found = tried(path, berge.Matching.load, path)
        with suppress(berge.ProofError):
            if found is not None:
                berge.verify(graph, found)
                assert verdict.valid, "not what verify says"
    return verdict is not None


def edges_of(graph: BipartiteGraph) -> tuple[list[int], list[int]]:
    """Return the rows and the columns of all edges."""
    return np.repeat(np.arange(graph.n_rows), graph.row_degrees).tolist(), graph.indices.tolist()


def suite(path: Path) -> bool:
    """Read a suite of the lab."""
    from berge_lab.bench.suite import read_suite

    return tried(path, read_suite, path) is not None


def results(path: Path) -> bool:
    """Read results of the lab."""
    from berge_lab.bench.results import read_lines

    return tried(path, read_lines, path) is not None


def suitesparse(path: Path) -> bool:
    """Unpack an archive of the collection; nothing is asked of the network."""
    from berge.files import fetch

    found = tried("", fetch, "a/a", cache=path.parent, url="http://127.0.0.1:9")
    return solve(tried(found, berge.read, found) if found else None)


TARGETS: dict[str, Callable[[Path], bool]] = {
    "matrix-market": graph_file,
    "edge-list": graph_file,
    "metis": graph_file,
    "hmetis": hypergraph_file,
    "dimacs": graph_file,
    "labels": label_file,
    "npz": graph_file,
    "parquet": graph_file,
    "arrow": graph_file,
    "named": named,
    "folder": folder,
    "matching": matching,
    "greedy": greedy,
    "assignment": assignment,
    "units": units,
    "odd-sets": odd_sets,
    "matching-parts": parts,
    "checkpoint": checkpoint,
    "hierarchy": hierarchy,
    "converting": converting,
    "suitesparse": suitesparse,
    "portions": portions,
    "independent": independent,
    "independent-matching": independent_matching,
    "suite": suite,
    "results": results,
}


def put(files: dict[str, bytes], place: Path) -> Path:
    """Write the files of an input into an empty folder; return what is to be read."""
    for name, data in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return place / next(iter(files)).split("/")[0]
