"""What an argument that is not known was meant to be."""

from __future__ import annotations

import numpy as np
import pytest

import berge

SQUARE = np.ones((2, 2))
TRIANGLE = ([0, 1, 2], [1, 2, 0], [1, 1, 1])
CALLS = {
    "as_bipartite": (lambda **more: berge.as_bipartite(SQUARE, **more), "row_label", "row_labels"),
    "as_graph": (lambda **more: berge.as_graph(SQUARE, **more), "weight", "weights"),
    "assign": (lambda **more: berge.assign(SQUARE, **more), "maximize", "objective='max'"),
    "coarsen": (lambda **more: berge.coarsen(TRIANGLE, **more), "untill", "until"),
    "explain_unmatched": (
        lambda **more: berge.explain_unmatched(SQUARE, berge.maximum_matching(SQUARE), **more),
        "sides",
        "side",
    ),
    "greedy_matching": (
        lambda **more: berge.greedy_matching(SQUARE, **more),
        "algorithm",
        "method",
    ),
    "maximum_weight_matching": (
        lambda **more: berge.maximum_weight_matching(TRIANGLE, **more),
        "maximize",
        "looks for the heaviest already",
    ),
    "read": (lambda **more: berge.read("none.mtx", **more), "fmt", "format"),
    "verify": (
        lambda **more: berge.verify(SQUARE, berge.maximum_matching(SQUARE), **more),
        "checker",
        "check",
    ),
    "write": (
        lambda **more: berge.write(berge.as_bipartite(SQUARE), "none.mtx", **more),
        "form",
        "format",
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_hint(name):
    call, wrong, hint = CALLS[name]
    with pytest.raises(berge.OptionError) as caught:
        call(**{wrong: 1})
    said = str(caught.value)
    assert said.startswith(f"{name} has no argument {wrong!r}; ")
    assert hint in said.partition("; ")[2]


@pytest.mark.parametrize(
    "solve",
    [
        berge.maximum_matching, berge.match_pairs, berge.dulmage_mendelsohn, berge.dmperm,
        berge.block_triangular_form, berge.edge_roles, berge.gallai_edmonds,
        berge.is_structurally_singular, berge.structural_rank, berge.maximum_transversal,
        berge.minimum_vertex_cover, berge.minimum_edge_cover, berge.maximum_independent_set,
        berge.scale_and_permute,
    ],
    ids=lambda solve: solve.__name__,
)  # fmt: skip
def test_options_of_a_solve(solve):
    source = {"a": ["x"]} if solve is berge.match_pairs else np.eye(2)
    with pytest.raises(berge.OptionError, match="did you mean 'threads'"):
        solve(source, threds=2)
