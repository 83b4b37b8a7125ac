"""Graphs that every algorithm must solve, with the cardinality that is right for each.

Known cardinalities come from how a graph is made; the rest (None) from the certificate.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from berge import BipartiteGraph, generate


def _csr(indptr, indices, shape):
    return BipartiteGraph(np.array(indptr, np.int32), np.array(indices, np.int32), shape)


def _shuffled_rows(graph: BipartiteGraph, seed: int) -> BipartiteGraph:
    """The same graph with every row's indices in random order."""
    rng = np.random.default_rng(seed)
    indices = graph.indices.copy()
    for i in range(graph.n_rows):
        rng.shuffle(indices[graph.indptr[i] : graph.indptr[i + 1]])
    return _csr(graph.indptr, indices, graph.shape)


def _duplicated(graph: BipartiteGraph, times: int) -> BipartiteGraph:
    return _csr(graph.indptr * times, np.repeat(graph.indices, times), graph.shape)


def _ladder(steps: int) -> BipartiteGraph:
    """Trees that meet: grafting has something to graft."""
    rows = np.repeat(np.arange(steps), 3)
    cols = np.clip(rows + np.tile([0, 1, 2], steps) // 2, 0, steps // 2)
    return BipartiteGraph.from_edges(rows, cols, (steps, steps // 2 + 1))


SMALL: dict[str, tuple[Callable[[], BipartiteGraph], int | None]] = {
    "nothing": (lambda: _csr([0], [], (0, 0)), 0),
    "no rows": (lambda: _csr([0], [], (0, 5)), 0),
    "no columns": (lambda: _csr([0, 0, 0], [], (2, 0)), 0),
    "no edges": (lambda: _csr([0, 0, 0, 0], [], (3, 4)), 0),
    "one edge": (lambda: _csr([0, 1], [0], (1, 1)), 1),
    "isolated vertices": (lambda: _csr([0, 0, 1, 1, 2, 2], [3, 1], (5, 6)), 2),
    "one column wanted by all": (lambda: _csr(range(9), [0] * 8, (8, 8)), 1),
    "duplicates": (lambda: _duplicated(generate.chain(9), 4), 9),
    "unsorted": (lambda: _shuffled_rows(generate.erdos_renyi(40, 40, 160), 1), None),
    "star": (lambda: generate.star(30), 1),
    "star, transposed": (lambda: generate.star(30, transpose=True), 1),
    "complete": (lambda: generate.complete(12, 12), 12),
    "complete, wide": (lambda: generate.complete(5, 20), 5),
    "complete, tall": (lambda: generate.complete(20, 5), 5),
    "chain": (lambda: generate.chain(60), 60),
    "layered": (lambda: generate.layered(12), 37),
    "hidden perfect": (lambda: generate.hidden_perfect(60, 2), 60),
    "Karp–Sipser-hard": (lambda: generate.karp_sipser_hard(24, 4), 24),
    "grid": (lambda: generate.permute(generate.grid(7, 6)), 42),
    "road": (lambda: generate.road(8, 8), None),
    "power law": (lambda: generate.power_law(70, 50), None),
    "rmat": (lambda: generate.rmat(6, 4), None),
    "sparse random": (lambda: generate.erdos_renyi(90, 80, 150), None),
    "sparse random, wide": (lambda: generate.erdos_renyi(30, 120, 150), None),
    "sparse random, tall": (lambda: generate.erdos_renyi(120, 30, 150), None),
    "ladder": (lambda: _ladder(40), None),
}

# Large enough for several threads to share levels (thousands of items), and for long paths.
LARGE: dict[str, tuple[Callable[[], BipartiteGraph], int | None]] = {
    "chain of 10⁵ links": (lambda: generate.chain(100_000), 100_000),
    "10⁵ duplicates": (lambda: _duplicated(generate.chain(1000), 100), 1000),
    "layered, 40 levels": (lambda: generate.layered(40), 121),
    "hidden perfect, permuted": (lambda: generate.permute(generate.hidden_perfect(20_000)), 20_000),
    "grid, permuted": (lambda: generate.permute(generate.grid(120, 110)), 13_200),
    "road": (lambda: generate.road(90, 90), None),
    "rmat": (lambda: generate.rmat(14, 4), None),
    "rmat, paper": (lambda: generate.rmat(13, 3, probabilities="paper"), None),
    "random, tall": (lambda: generate.erdos_renyi(40_000, 20_000, 80_000), None),
    "random, wide": (lambda: generate.erdos_renyi(20_000, 40_000, 80_000), None),
    "power law": (lambda: generate.power_law(20_000, 15_000, 4), None),
    "mesh of degree 3": (lambda: generate.mesh3(20_000), None),
    "Karp–Sipser-hard": (lambda: generate.karp_sipser_hard(400, 8), 400),
    "star": (lambda: generate.star(50_000, transpose=True), 1),
    "complete": (lambda: generate.complete(300, 250), 250),
}
