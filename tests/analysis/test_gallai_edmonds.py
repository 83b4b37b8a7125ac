"""The Gallai–Edmonds decomposition and the roles of edges, against all maximum matchings."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import berge
from berge.errors import InvalidMatchingError, ProofError


def all_maximum(edges: list[tuple[int, int]]) -> list[tuple[tuple[int, int], ...]]:
    """Return all maximum matchings, by trying all sets of edges, the largest first."""
    for size in range(len(edges), 0, -1):
        found = [
            chosen
            for chosen in combinations(edges, size)
            if len({end for edge in chosen for end in edge}) == 2 * size
        ]
        if found:
            return found
    return [()]


@pytest.mark.kernels
def test_against_all_maximum_matchings():
    rng = np.random.default_rng(0)
    seen = np.zeros(3, np.int64)
    for _ in range(150):
        n, m = int(rng.integers(1, 9)), int(rng.integers(0, 12))
        graph = berge.Graph.from_edges(rng.integers(0, n, m), rng.integers(0, n, m), n)
        ends = np.repeat(np.arange(n), graph.degrees)
        entries = list(zip(ends.tolist(), graph.indices.tolist(), strict=True))
        found = all_maximum([(u, v) for u, v in entries if u < v])
        missed = {v for some in found for v in range(n) if all(v not in edge for edge in some)}
        parts = berge.gallai_edmonds(graph)
        assert set(parts.D.tolist()) == missed
        next_to = {v for u, v in entries if u in missed} - missed
        assert set(parts.A.tolist()) == next_to
        assert set(parts.C.tolist()) == set(range(n)) - missed - next_to
        assert parts.unmatched == n - 2 * len(found[0])
        for u, v in entries:
            if {u, v} <= missed:
                assert parts.component[u] == parts.component[v]
        roles = berge.edge_roles(graph)
        counts = [sum((min(e), max(e)) in some for some in found) for e in entries]
        codes = [0 if not k else 1 if k < len(found) else 2 for k in counts]
        assert roles.codes.tolist() == codes
        assert set(np.flatnonzero(~roles.vertices).tolist()) == missed
        seen += np.bincount(codes, minlength=3)
    assert (seen > 50).all()


@pytest.mark.kernels
def test_networkx_graphs_and_repr():
    nx = pytest.importorskip("networkx")
    odd = nx.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("d", "f")])
    parts = berge.gallai_edmonds(odd)
    assert "".join(sorted(np.array(list(odd))[parts.D])) == "abcef"
    assert repr(parts) == "GallaiEdmonds(D=5, A=1, C=0; 3 components of D)"
    said = "EdgeRoles(0 in every maximum matching, 6 in some, 0 in none)"
    assert repr(berge.edge_roles(odd)) == said


@pytest.mark.kernels
def test_what_is_given_must_be_a_maximum_matching():
    path = berge.Graph.from_edges([0, 1, 2], [1, 2, 3])
    middle = berge.GeneralMatching([-1, 2, 1, -1], upper_bound=2)
    with pytest.raises(ProofError, match="augmenting path"):
        berge.gallai_edmonds(path, middle)
    with pytest.raises(InvalidMatchingError, match="must be a GeneralMatching"):
        berge.gallai_edmonds(path, berge.Matching([0], [0], upper_bound=1))
    with pytest.raises(ProofError, match="time limit"):
        berge.gallai_edmonds(path, time_limit=0)


@pytest.mark.kernels
def test_shown(tmp_path):
    """By names, as a table and as a picture."""
    pytest.importorskip("matplotlib")
    networkx = pytest.importorskip("networkx")
    names = networkx.star_graph(["hub", "x", "y"])
    parts = berge.gallai_edmonds(names)
    assert [sorted(part) for part in parts.named()] == [["x", "y"], ["hub"], []]
    page = parts._repr_html_()
    assert "hub" in page
    assert "<svg" in page
    parts.plot(names, tmp_path / "star.png")
    assert (tmp_path / "star.png").read_bytes().startswith(b"\x89PNG")
