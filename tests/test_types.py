"""What a type checker sees: names equal to the registry, wrong options, kinds of results."""

from __future__ import annotations

import typing
from pathlib import Path

import pytest

from berge import OptionError, settings
from berge.methods.registry import algorithms, variants
from berge.solve import default

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("ExactName", "exact"),
        ("StartName", "start"),
        ("GreedyName", "greedy"),
        ("AssignName", "assign"),
        ("CapacityName", "capacity"),
        ("GeneralName", "general"),
        ("GeneralStartName", "general-start"),
        ("GeneralWeightedName", "general-weighted"),
    ],
)
def test_names_are_those_of_the_registry(name, kind):
    known = {"auto"} | {a.name for a in (*algorithms(kind), *variants(kind))}
    known |= {"none"} if kind == "general-start" else set()
    assert set(typing.get_args(getattr(settings, name))) == known


def test_starts_in_parts_are_those_of_the_default():
    assert set(typing.get_args(settings.ClusterStartName)) == {"auto", *default.STARTS_IN_PARTS}


def test_options_are_those_of_the_registry():
    hints = typing.get_type_hints(settings.Options)
    seen = set(settings.Watched.__annotations__)
    for option in (o for kind in ("exact", "start") for a in algorithms(kind) for o in a.options):
        seen.add(option.name)
        hint = hints[option.name]
        assert typing.get_args(hint) == option.choices if option.choices else True
        assert hint is type(option.default) or option.choices
    assert seen == set(hints)


PROGRAM = """
import networkx as nx, numpy as np
import berge
A, G = np.eye(3), berge.as_graph(([0, 1], [1, 2]))
reveal_type(berge.maximum_matching(A))  # Matching
reveal_type(berge.maximum_matching(A, algorithm="ms-bfs", init="none", alpha=2.0))  # Matching
reveal_type(berge.maximum_matching(G))  # GeneralMatching
reveal_type(berge.maximum_matching(A, general=True, algorithm="blossom"))  # GeneralMatching
reveal_type(berge.maximum_matching(G, general=False))  # Matching
reveal_type(berge.maximum_matching(A, capacity_left=2))  # CapacityMatching
reveal_type(berge.maximum_matching(A, at_least_right=[1, 0, 0]))  # CapacityMatching
reveal_type(berge.maximum_matching("a.berge", cluster="local[2]", resume=True))  # Matching
reveal_type(berge.match_pairs([("a", "b")], capacity_right=2, threads=1))  # LabelledMatching
reveal_type(berge.edge_roles(G))  # GeneralEdgeRoles
reveal_type(berge.edge_roles(A))  # EdgeRoles
reveal_type(berge.assign(A, objective="max"))  # Assignment
reveal_type(berge.greedy_matching(A, method="suitor"))  # GreedyMatching
berge.maximum_matching(A, wieghts=1)  # error
berge.maximum_matching(A, algorithm="hopcroft_karp")  # error
berge.maximum_matching(A, init="graft")  # error
berge.maximum_matching(A, device="gpu")  # error
berge.maximum_matching(A, side="left")  # error
berge.maximum_matching(A, lookahead="yes")  # error
berge.structural_rank(A, thread=1)  # error
berge.assign(A, objective="maximum")  # error
berge.assign(A, match="perfect")  # error
berge.assign(A, maximize=True)  # error
berge.greedy_matching(A, method="hopcroft-karp")  # error
berge.maximum_matching(A).prove(A, check="numba")  # error
"""


def test_mypy_sees_results_and_wrong_options(tmp_path):
    """With the cache that `make lint` has filled, this takes some seconds."""
    api = pytest.importorskip("mypy.api")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    cache = [] if (ROOT / ".mypy_cache").is_dir() else ["--cache-dir", str(tmp_path)]
    said, wrong, _ = api.run(
        ["--config-file", str(ROOT / "pyproject.toml"), *cache, "--no-pretty", str(program)]
    )
    assert not wrong
    for number, line in enumerate(PROGRAM.splitlines(), 1):
        _, mark, expected = line.partition("  # ")
        found = [s for s in said.splitlines() if f"program.py:{number}: " in s]
        if not mark:
            assert not found
        elif expected == "error":
            assert any(": error: " in s for s in found), line
        else:
            assert len(found) == 1, found
            assert f'.{expected}"' in found[0], found


@pytest.mark.parametrize(
    ("function", "arguments", "hint"),
    [
        ("maximum_matching", {"weights": [1]}, "found by berge.assign"),
        ("maximum_matching", {"capacity": 2}, "did you mean 'capacity_left'"),
        ("maximum_matching", {"method": "ss-bfs"}, "is algorithm="),
        ("maximum_matching", {"algorithm": "suitor"}, "for method= of berge.greedy_matching"),
        ("greedy_matching", {"method": "hkdw"}, "for algorithm= of berge.maximum_matching"),
        ("greedy_matching", {"algorithm": "suitor"}, "here it is method="),
        ("greedy_matching", {"shout": 1}, "there are method, weights, left"),
        ("assign", {"objective": "maximum"}, "did you mean 'max'"),
        ("assign", {"maximize": True}, "objective='max'"),
        ("maximum_weight_matching", {"minimize": True}, "did you mean 'minimise'"),
        ("coarsen", {"level": 1}, "did you mean 'levels'"),
    ],
)
def test_wrong_options_get_a_hint(function, arguments, hint):
    import berge

    with pytest.raises(OptionError, match=hint):
        getattr(berge, function)([[1, 1], [1, 1]], **arguments)
