"""Properties on random graphs, against scipy and networkx as oracles."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import berge
from berge import BipartiteGraph
from berge.methods import registry

from ..conftest import COMPILED

EXACT = [a.name for a in registry.variants("exact")]
STARTS = [a.name for a in berge.algorithms("start")]

pytestmark = pytest.mark.kernels
relaxed = settings(
    deadline=None,
    max_examples=120 if COMPILED else 25,
    suppress_health_check=[HealthCheck.too_slow],
)


@st.composite
def graphs(draw):
    n_rows, n_cols = draw(st.integers(0, 12)), draw(st.integers(0, 12))
    cells = st.tuples(st.integers(0, max(n_rows - 1, 0)), st.integers(0, max(n_cols - 1, 0)))
    edges = draw(st.lists(cells, max_size=40)) if n_rows and n_cols else []
    pairs = np.array(edges, np.int64).reshape(-1, 2)
    return BipartiteGraph.from_edges(pairs[:, 0], pairs[:, 1], (n_rows, n_cols))


@relaxed
@given(
    graph=graphs(),
    algorithm=st.sampled_from(EXACT),
    init=st.sampled_from(STARTS),
    threads=st.sampled_from([1, 2, 4]),
    seed=st.integers(0, 2**32),
)
def test_agrees_with_scipy_and_networkx(graph, algorithm, init, threads, seed):
    matching = berge.maximum_matching(
        graph, algorithm=algorithm, init=init, threads=threads, seed=seed
    )
    matching.prove(graph)
    once = sp.csr_array(graph.without_duplicates().to_scipy())
    by_scipy = sp.csgraph.maximum_bipartite_matching(once, perm_type="column")
    assert matching.cardinality == np.count_nonzero(by_scipy >= 0)
    network = nx.Graph()
    network.add_nodes_from((("row", i) for i in range(graph.n_rows)), bipartite=0)
    network.add_nodes_from((("col", j) for j in range(graph.n_cols)), bipartite=1)
    rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    network.add_edges_from(
        (("row", int(i)), ("col", int(j))) for i, j in zip(rows, graph.indices, strict=True)
    )
    top = [("row", i) for i in range(graph.n_rows)]
    by_networkx = nx.bipartite.hopcroft_karp_matching(network, top_nodes=top)
    assert matching.cardinality == len(by_networkx) // 2
    assert berge.maximum_matching(network).cardinality == matching.cardinality


@relaxed
@given(graph=graphs(), seed=st.integers(0, 1000), algorithm=st.sampled_from(EXACT))
def test_cardinality_survives_permuting_and_transposing(graph, seed, algorithm):
    cardinality = berge.maximum_matching(graph, algorithm=algorithm).cardinality
    permuted = berge.generate.permute(graph, seed=seed)
    assert berge.maximum_matching(permuted, algorithm=algorithm).cardinality == cardinality
    assert berge.maximum_matching(graph.T, algorithm=algorithm).cardinality == cardinality


@relaxed
@given(graph=graphs(), keep=st.lists(st.booleans(), min_size=12, max_size=12))
def test_any_part_of_a_matching_is_a_warm_start(graph, keep):
    best = berge.maximum_matching(graph)
    rows = np.where(keep[: graph.n_rows], best.row_match, -1)
    cols = np.full(graph.n_cols, -1)
    cols[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
    part = berge.Matching(rows.astype(np.int64), cols, upper_bound=min(graph.shape))
    again = berge.maximum_matching(graph, initial=part, algorithm="pothen-fan")
    assert again.cardinality == best.cardinality
