"""A graph in a file, and what another library finds in it."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import berge

from .invoke import thinned_grid


@pytest.fixture(scope="module")
def mesh(tmp_path_factory):
    """A file whose maximum matching is neither perfect nor found by a start alone."""
    path = tmp_path_factory.mktemp("graphs") / "mesh.mtx"
    berge.write(thinned_grid(40), path)
    return path


@pytest.fixture(scope="module")
def cardinality(mesh):
    """What another library finds."""
    graph = berge.read(mesh)
    rows = np.repeat(np.arange(graph.n_rows), graph.row_degrees)
    edges = zip(rows.tolist(), (~graph.indices.astype(int)).tolist(), strict=True)
    matched = nx.bipartite.hopcroft_karp_matching(nx.Graph(list(edges)), set(rows.tolist()))
    return len(matched) // 2
