"""``berge warmup``: compile now, so that nothing is compiled later."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import OptionError
from ..wording import in_bytes, in_seconds, plural
from .display import working
from .program import command, say

if TYPE_CHECKING:
    from ..graphs.graph import BipartiteGraph


@command(
    "berge warmup",
    "berge warmup --all",
    "berge warmup --save",
)
@click.option("--all", "everything", is_flag=True, help="Every algorithm with every start.")
@click.option("--save", is_flag=True, help="Keep the kernels with berge itself, for any x86-64-v3.")
@click.option("--folder", type=click.Path(path_type=Path), hidden=True)
def warmup(everything: bool, save: bool, folder: Path | None) -> None:
    """Compile what reading, solving and proving need on this machine.

    Kernels are compiled when first used and kept on disk (by numba: beside the package, or in
    $NUMBA_CACHE_DIR). An image for containers or a batch job wants this done beforehand.

    Those are for the processor at hand. With --save they are compiled for every x86 processor of
    the level x86-64-v3 (since some 2015). They are kept where berge is installed, as a wheel for
    this platform has them. So copies of this environment or image need not compile elsewhere.
    """
    if save:
        _save(everything, folder)
        return
    seconds, compiled = warm_up(lambda: _use_kernels(everything))
    if compiled:
        say("ready", "green", f"{plural(compiled, 'function')} compiled in {in_seconds(seconds)}")
    else:
        say("ready", "green", f"everything was in the cache; loaded in {in_seconds(seconds)}")


def _save(everything: bool, folder: Path | None) -> None:
    """Compile in a process of its own, since numba is set to a processor when it is imported."""
    from ..compile.shipped import CPU, FOLDER

    if platform.machine().lower() not in ("x86_64", "amd64"):
        raise OptionError(f"--save compiles for {CPU}, and this is {platform.machine()}")
    folder = FOLDER if folder is None else folder
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="berge-") as unused, working(f"compiling for {CPU}"):
        settings = {
            "NUMBA_CPU_NAME": CPU, "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": unused,
        }  # fmt: skip
        code = "import sys; from berge.cli.warmup import save_here; save_here(*sys.argv[1:])"
        subprocess.run(
            [sys.executable, "-c", code, folder, "all" if everything else ""],
            env=os.environ | settings,
            check=True,
        )
        code = "import sys; from berge.cli.warmup import save_first; save_first(sys.argv[1])"
        settings["NUMBA_CACHE_DIR"] = str(Path(unused, "first"))  # others, though of equal names
        subprocess.run(
            [sys.executable, "-X", "berge-record", "-c", code, folder],
            env=os.environ | settings,
            check=True,
        )
    size = sum(path.stat().st_size for path in folder.iterdir())
    took = in_seconds(time.perf_counter() - started)
    say("saved", "green", f"{in_bytes(size)} of kernels for {CPU} in {folder}, in {took}")


def save_here(folder: str, everything: str) -> None:
    """Compile for the processor that numba is set to, and write the kernels to a folder."""
    from ..compile import shipped

    with shipped.collecting() as collected:
        _use_kernels(bool(everything))
    shipped.save(collected, Path(folder))


def save_first(folder: str) -> None:
    """Make the library of kernels that first answers take, in a process that records these."""
    from ..compile import first_library

    if not first_library.make(_answer_first, Path(folder)):
        say("not saved", "yellow", "the library of first answers: no linker (ld) made it")


def _answer_first() -> None:
    """Do what users do first, on one thread, with graphs of many kinds."""
    import numpy as np
    from scipy.sparse import coo_array, csr_array

    from ..analysis.decomposition import block_triangular_form, dulmage_mendelsohn
    from ..analysis.labels import match_pairs
    from ..analysis.structure import is_structurally_singular, structural_rank
    from ..files import read, write
    from ..graphs.graph import BipartiteGraph
    from ..graphs.symmetry import is_symmetric
    from ..ingest import as_bipartite
    from ..results.matching import Matching
    from ..solve.maximum import maximum_matching

    random = np.random.default_rng(1)

    def some(rows: int, cols: int, edges: int) -> Any:
        places = random.integers(0, rows, edges), random.integers(0, cols, edges)
        return csr_array((np.ones(edges, np.int8), places), (rows, cols))

    def near(rows: int, reach: int) -> Any:
        places = np.repeat(np.arange(rows), 4)
        other = np.clip(places + random.integers(-reach, reach, places.size), 0, rows - 1)
        return csr_array((np.ones(places.size, np.int8), (places, other)), (rows, rows))

    n = 100_000
    matrices = [
        csr_array([[1, 1, 0], [1, 0, 0], [1, 0, 1]]),
        csr_array([[1, 1, 0, 1], [0, 1, 0, 0]]),
        csr_array([[1, 1], [1, 0], [0, 1], [1, 1]]),
        *(some(n, n, edges * n) for edges in (2, 4, 8)),
        some(n, n // 2, 2 * n), some(n // 2, n, 2 * n), some(n, n // 10, n), some(2000, 2000, n),
        near(n, 10), near(n, 1000), near(n // 2, 3).T.tocsr(),
    ]  # fmt: skip
    for matrix in matrices:
        for index in (np.int32, np.int64):
            matrix.indptr = matrix.indptr.astype(index)
            matrix.indices = matrix.indices.astype(index)
            maximum_matching(matrix).prove(matrix)
            graph = BipartiteGraph(matrix.indptr, matrix.indices, matrix.shape)
            maximum_matching(graph).prove(graph)
        for other in (matrix.tocsc(), coo_array(matrix)):
            maximum_matching(other).prove(other)
    small = matrices[0], matrices[1], matrices[2], csr_array([[1, 1, 0], [1, 1, 0], [1, 1, 0]])
    for matrix in (*small, matrices[3], near(1000, 5)):
        structural_rank(matrix)
        is_structurally_singular(matrix)
        dulmage_mendelsohn(matrix)
        block_triangular_form(matrix)
    for matrix in small:
        for other in (matrix.toarray(), matrix.toarray().tolist(), coo_array(matrix).coords):
            maximum_matching(other).prove(other)
    match_pairs([("ann", "cook"), ("bob", "cook"), ("bob", "drive")]).reasons()
    with tempfile.TemporaryDirectory(prefix="berge-") as folder:
        for matrix in matrices[0], matrices[4]:
            graph = as_bipartite(matrix)
            is_symmetric(graph)
            for name in ("graph.mtx", "graph.csv", "graph.npz"):
                write(graph, Path(folder, name))
                graph = as_bipartite(read(Path(folder, name)))
                matching = maximum_matching(graph)
                matching.prove(graph)
            for name in ("matching.txt", "matching.npz"):
                matching.save(Path(folder, name))
                Matching.load(Path(folder, name))


def warm_up(use_kernels: Callable[[], object]) -> tuple[float, int]:
    """Use kernels once; return the seconds that took and how many had to be compiled."""
    started = time.perf_counter()
    from ..compile.recorder import count_compiled

    with working("compiling"):
        compiled = count_compiled(use_kernels)
    return time.perf_counter() - started, compiled


@contextmanager
def _all_shared() -> Iterator[None]:
    """Have threads share the start and the searches, as on graphs of some millions of edges."""
    from ..methods.combined import mixed, trial
    from ..methods.starts import cheap

    lowered: dict[str, Any] = {
        "SHARED_SEARCHES": 0,
        "SHARED_START": 0,
        "TRIED_ROOTS": 1,
        "WAKING": -(1 << 30),
    }
    found = [(m, name) for m in (mixed, trial, cheap) for name in lowered if hasattr(m, name)]
    before = [getattr(module, name) for module, name in found]
    for module, name in found:
        setattr(module, name, lowered[name])
    try:
        yield
    finally:
        for (module, name), number in zip(found, before, strict=True):
            setattr(module, name, number)


def _use_kernels(everything: bool) -> None:
    import numpy as np

    from ..analysis.decomposition import block_triangular_form, dulmage_mendelsohn
    from ..files import read, write
    from ..generate import grid, karp_sipser_hard, permute
    from ..graphs.graph import BipartiteGraph
    from ..ingest import as_bipartite, as_graph
    from ..methods.registry import algorithms, variants
    from ..results.matching import Matching
    from ..results.proof import koenig_cover
    from ..solve.assign import assign
    from ..solve.greedy import greedy_matching
    from ..solve.maximum import maximum_matching
    from ..solve.weighted import maximum_weight_matching

    # Large enough for the parallel transpose and for depth-first searches on trial; with so many
    # edges a row that searches look ahead; and small enough to be done at once.
    graph, dense, small = permute(grid(500, 500)), karp_sipser_hard(2000), grid(60, 60)
    runs: list[tuple[BipartiteGraph, dict[str, Any]]] = [
        (graph, {}),
        (graph, {"algorithm": "push-relabel", "init": "cheap"}),  # what "auto" may come to
        (graph, {"algorithm": "p-push-relabel", "init": "cheap"}),
        (graph, {"init": "none"}),
        (dense, {}),
        (small, {}),
        (graph, {"init": "cheap", "initial": Matching.empty(graph)}),
    ]
    if everything:
        for exact in variants("exact"):
            for start in algorithms("start"):
                runs.append((small, {"algorithm": exact.name, "init": start.name}))  # some are slow
    for source, settings in runs:
        for threads in (1, None):
            # A graph of its own each time, or the transpose would be there already.
            fresh = BipartiteGraph(source.indptr, source.indices, source.shape)
            maximum_matching(fresh, threads=threads, **settings)
    with _all_shared():
        for source in (graph, dense):
            maximum_matching(source)
    for source in (graph, small):
        for index in (np.int32, np.int64):  # read where they lie; scipy makes both
            matrix = source.to_scipy()
            matrix.indptr = matrix.indptr.astype(index)
            matrix.indices = matrix.indices.astype(index)
            matching = maximum_matching(matrix)
            matching.prove(matrix)
            as_bipartite(matrix.tocsc())
            as_bipartite(matrix.tocoo())
        dulmage_mendelsohn(source)
        block_triangular_form(source)
    # Rows and columns are left, so that a proof needs to know what was reached from them.
    short = BipartiteGraph([0, 1, 2, 3, 5], [0, 0, 0, 1, 2], (4, 3))
    matching = maximum_matching(short)
    matching.prove(short)
    koenig_cover(short, matching)
    graph.without_duplicates()
    for source in (graph, small):  # taken as general graphs
        pairs = source.to_scipy().tocoo().coords
        for weights in (None, np.arange(1.0, source.nnz + 1)):
            greedy_matching((pairs[0], pairs[1] + source.n_rows), weights=weights)
        maximum_matching(as_graph((2 * pairs[0], 2 * pairs[1] + 1)))  # its sides are looked for
    weighted = small.to_scipy().astype(float)
    for matrix in (weighted, weighted.astype(np.int64), weighted.toarray()[:50, :60]):
        assign(matrix, match="maximum").prove(matrix)
    cycles = np.arange(999), (np.arange(999) + 1) % 333 + np.arange(999) // 333 * 333
    maximum_matching(as_graph(cycles)).prove(as_graph(cycles))  # odd: it is not bipartite
    if everything:
        for kind in (np.int64, np.float64):
            edges = *cycles, np.arange(999, dtype=kind)
            maximum_weight_matching(edges, maxcardinality=True).prove(edges)
    with tempfile.TemporaryDirectory(prefix="berge-") as folder:
        pair = BipartiteGraph([0, 1, 2], [1, 0], (2, 2))
        for name in ("graph.mtx", "graph.csv", "graph.graph"):
            write(pair, Path(folder, name))
            read(Path(folder, name))
        for name in ("matching.txt", "matching.npz"):
            matching.save(Path(folder, name))
            Matching.load(Path(folder, name))
