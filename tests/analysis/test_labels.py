"""Matching by name: match_pairs, reasons in words."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import berge
from berge import InvalidGraphError, OptionError, ProofError, Shortage
from berge.wording import in_words

PAIRS = [
    ("ann", "cook"), ("bob", "cook"), ("bob", "drive"), ("cid", "drive"),
    ("dan", "sew"), ("dan", "iron"),
]  # fmt: skip


class TestMatchPairs:
    def test_pairs(self):
        m = berge.match_pairs(PAIRS)
        assert isinstance(m, dict)
        assert len(m) == 3
        assert all((left, right) in PAIRS for left, right in m.items())
        assert set(m) | set(m.unmatched_left) == {"ann", "bob", "cid", "dan"}
        assert set(m.values()) | set(m.unmatched_right) == {"cook", "drive", "sew", "iron"}
        assert m.is_maximum
        assert m.prove().size == 3
        assert m == dict(m)

    def test_order_of_appearance(self):
        pairs = [("z", 1), ("y", 2), ("a", 3), ("y", 1)]
        assert list(berge.match_pairs(pairs).items()) == [("z", 1), ("y", 2), ("a", 3)]

    @pytest.mark.parametrize(
        "edges",
        [
            (pair for pair in [("a", 1), ("b", 2)]),
            [["a", 1], ["b", 2]],
            {("a", 1), ("b", 2)},
            np.array([["a", "1"], ["b", "2"]]),
            [np.array(["a", 1], object), iter(("b", 2))],
            {"a": [1], "b": (2,)},
            {"a": {1}, "b": iter([2])},
        ],
        ids=lambda edges: type(edges).__name__,
    )
    def test_what_it_takes(self, edges):
        assert {k: int(v) for k, v in berge.match_pairs(edges).items()} == {"a": 1, "b": 2}

    def test_arrays_give_python_labels(self):
        m = berge.match_pairs(np.array([[7, 5], [9, 5], [9, 2]]))
        assert m == {7: 5, 9: 2}
        assert all(type(label) is int for pair in m.items() for label in pair)

    def test_frames_and_columns(self):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame({"pay": [1, 2], "job": ["x", "y"], "who": ["p", "q"]})
        assert berge.match_pairs(frame, left="who", right="job") == {"p": "x", "q": "y"}
        with pytest.raises(OptionError, match="left and right name columns of a frame"):
            berge.match_pairs(PAIRS, left="who")

    def test_graphs(self):
        nx = pytest.importorskip("networkx")
        graph = nx.Graph()
        graph.add_nodes_from(["ann", "bob"], bipartite=0)
        graph.add_edges_from([("cook", "ann"), ("bob", "cook"), ("bob", "sew")])
        graph.add_nodes_from(["cook", "sew"], bipartite=1)
        assert berge.match_pairs(graph) == {"ann": "cook", "bob": "sew"}
        unlabelled = berge.match_pairs(sp.csr_array([[1, 1], [1, 0], [1, 0]]))
        assert len(unlabelled) == 2
        assert [*unlabelled, *unlabelled.unmatched_left] in ([0, 1, 2], [0, 2, 1])

    def test_nothing(self):
        for edges in ([], {}, np.zeros((0, 2))):
            m = berge.match_pairs(edges)
            assert (m, m.unmatched_left, m.reasons(), m.reasons("right")) == ({}, [], [], [])

    def test_one_label_on_both_sides(self):
        assert berge.match_pairs([("a", "a"), ("b", "a"), ("b", "b")]) == {"a": "a", "b": "b"}

    def test_repeats(self):
        assert berge.match_pairs([("a", 1)] * 3 + [("b", 1)]).matching.cardinality == 1

    def test_options(self):
        m = berge.match_pairs(PAIRS, algorithm="hopcroft-karp", init="cheap", threads=1)
        assert m.matching.stats.algorithm == "hopcroft-karp"
        stopped = berge.match_pairs(PAIRS, time_limit=0)
        assert not stopped.is_maximum
        with pytest.raises(ProofError):
            stopped.reasons()
        with pytest.raises(OptionError, match="alfa"):
            berge.match_pairs(PAIRS, alfa=1)

    def test_pickle(self):
        m = pickle.loads(pickle.dumps(berge.match_pairs(PAIRS)))
        assert len(m.reasons()) == 1

    @pytest.mark.parametrize(
        ("edges", "message"),
        [
            ([("a", 1), ("b",)], r"pair 1: \('b',\) is not \(left, right\)"),
            ([("a", 1, 2)], r"pair 0: \('a', 1, 2\) is not"),
            ([("a", 1), "bc"], r"pair 1: 'bc' is not"),
            ([("a", 1), {"b", "c"}], "pair 1: .* is not"),
            ([("a", 1), 7], "pair 1: 7 is not"),
            ([("a", 1), ("b", [2])], r"pair 1: \[2\] cannot be a label: a list is not hashable"),
            ([({}, 1)], r"pair 0: \{\} cannot be a label"),
            ([("a", 1), (None, 2)], "pair 1: a label is missing: found None"),
            ([("a", 1), ("b", float("nan"))], "pair 1: a label is missing: found nan"),
            ([("a", list(range(100)))], r"pair 0: \[0, 1, 2, 3, 4, 5, \.\.\.\] cannot"),
            ({"a": "bc"}, "left 'a': expected a list of right labels, found 'bc'"),
            ({"a": 3}, "left 'a': expected a list of right labels, found 3"),
            ({"a": [1, [2]]}, r"left 'a': item 1: \[2\] cannot be a label"),
            ({None: [1]}, "left None: a label is missing"),
            ("jobs.csv", "edges must be an iterable of .* not 'jobs.csv'"),
            (7, "edges must be an iterable of .* not 7"),
        ],
    )
    def test_refuses(self, edges, message):
        with pytest.raises(InvalidGraphError, match=message):
            berge.match_pairs(edges)

    def test_errors_of_an_iterator_are_its_own(self):
        def pairs():
            yield "a", 1
            raise ValueError("mine")

        with pytest.raises(ValueError, match=r"^mine$"):
            berge.match_pairs(pairs())


class TestReasons:
    def test_words(self):
        (left,) = berge.match_pairs(PAIRS).reasons()
        assert str(left) == "ann, bob and cid want only cook and drive: 3 for 2"
        assert len(left.unmatched) == left.missing == 1
        (right,) = berge.match_pairs(PAIRS).reasons("right")
        assert str(right) == "sew and iron are wanted only by dan: 2 for 1"

    def test_parts_apart_and_the_largest_first(self):
        pairs = [("a", 1), ("b", 1), ("x", 2), ("y", 2), ("z", 2), ("ok", 3)]
        assert [str(r) for r in berge.match_pairs(pairs).reasons()] == [
            "x, y and z want only 2: 3 for 1",
            "a and b want only 1: 2 for 1",
        ]

    def test_joined_to_nothing(self):
        m = berge.match_pairs({"ann": [], "bob": [1], "cid": [], "dan": [1]})
        assert [str(r) for r in m.reasons()] == [
            "ann and cid want nothing",
            "bob and dan want only 1: 2 for 1",
        ]
        assert str(berge.match_pairs({"ann": []}).reasons()[0]) == "ann wants nothing"
        graph = np.array([[1, 0, 0]])
        found = berge.explain_unmatched(graph, berge.maximum_matching(graph), "right")
        assert [str(r) for r in found] == ["columns 1 and 2 are joined to no row"]

    def test_one_of_them(self):
        assert str(Shortage("right", ["sew"], [], ["sew"])) == "sew is wanted by nobody"

    def test_long_lists(self):
        m = berge.match_pairs([(f"w{k}", f"j{k % 8}") for k in range(1600)])
        assert len(m.reasons()) == 8
        assert str(m.reasons()[0]) == "w0, w8, w16, w24, w32 and 195 others want only j0: 200 for 1"
        assert m.reasons()[0].describe(limit=1).startswith("w0 and 199 others want")

    def test_in_words(self):
        assert in_words([], 3) == ""
        assert in_words(list("abcd"), 3) == "a, b, c and d"
        assert in_words(list("abcde"), 3) == "a, b, c and 2 others"
        assert in_words(["", " x", "a, b", "c\nd", (1, 2)], 9) == (
            r"'', ' x', 'a, b', 'c\nd' and (1, 2)"
        )

    def test_wrong_side_and_wrong_matching(self):
        graph = np.eye(2)
        m = berge.maximum_matching(graph)
        with pytest.raises(OptionError, match="side must be 'left' or 'right', not 'rows'"):
            berge.explain_unmatched(graph, m, "rows")
        with pytest.raises(ProofError, match="not maximum"):
            berge.explain_unmatched(graph, berge.Matching.empty(berge.as_bipartite(graph)))
        assert berge.explain_unmatched(graph, m) == []

    @settings(deadline=None, max_examples=60)
    @given(
        st.lists(st.tuples(st.integers(0, 12), st.integers(20, 30)), max_size=40),
        st.sets(st.integers(13, 16)),
    )
    def test_they_are_hall_violators_and_add_up(self, pairs, lonely):
        choices = {left: set() for left in sorted({left for left, _ in pairs} | lonely)}
        for left, right in pairs:
            choices[left].add(right)
        m = berge.match_pairs(choices)
        for side, unmatched in (("left", m.unmatched_left), ("right", m.unmatched_right)):
            neighbours = choices
            if side == "right":
                neighbours = {}
                for left, right in pairs:
                    neighbours.setdefault(right, set()).add(left)
            seen: list[int] = []
            for reason in m.reasons(side):
                seen += reason.members
                assert set().union(*(neighbours[k] for k in reason.members)) == set(reason.choices)
                assert reason.missing == len(reason.unmatched) > 0
                assert set(reason.unmatched) <= set(reason.members)
            assert len(seen) == len(set(seen))
            assert sum(r.missing for r in m.reasons(side)) == len(unmatched)
            assert {k for r in m.reasons(side) for k in r.unmatched} == set(unmatched)
