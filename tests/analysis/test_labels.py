"""Matching by name: match_pairs, reasons in words, and berge match --left --right."""

from __future__ import annotations

import gzip
import json
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import berge
from berge import InvalidGraphError, OptionError, ProofError, Shortage
from berge.analysis.labels import in_words
from berge.cli import cli, exit_codes

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
        assert [str(r) for r in found] == ["1 and 2 are wanted by nobody"]

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


def run(*args, code=0):
    result = CliRunner().invoke(cli, [str(a) for a in args], prog_name="berge")
    assert result.exit_code == code, f"{result.output}\n{result.exception!r}"
    return result


def match_json(*args, code=0):
    return json.loads(run("match", *args, "--json", code=code).stdout)


class TestCommand:
    @pytest.fixture
    def jobs(self, tmp_path):
        path = tmp_path / "jobs.csv"
        lines = ["hours,worker,job"] + [f"{k},{w},{j}" for k, (w, j) in enumerate(PAIRS)]
        path.write_text("\n".join(lines) + "\n")
        return path

    BY_NAME = ("--left", "worker", "--right", "job")

    def test_result_and_reasons(self, jobs, tmp_path):
        text = run("match", jobs, *self.BY_NAME, "-o", tmp_path / "result.csv").stdout
        words = " ".join(text.split())
        assert "4 in worker × 4 in job, 6 edges" in words
        assert "1 in worker, 1 in job" in words
        assert "why ann, bob and cid want only cook and drive: 3 for 2" in words
        heading, *pairs = (tmp_path / "result.csv").read_text().splitlines()
        assert heading == "worker,job"
        assert len(pairs) == 3
        assert all(tuple(pair.split(",")) in PAIRS for pair in pairs)

    def test_json(self, jobs):
        facts = match_json(jobs, *self.BY_NAME)
        assert facts["cardinality"] == 3
        labels = facts["labels"]
        assert (labels["left"], labels["right"]) == ("worker", "job")
        assert all(tuple(pair) in PAIRS for pair in labels["pairs"])
        assert len(labels["unmatched_left"]) == len(labels["unmatched_right"]) == 1
        (reason,) = labels["reasons_left"]
        assert reason["members"] == ["ann", "bob", "cid"]
        assert reason["text"].endswith("3 for 2")
        assert labels["reasons_right"][0]["choices"] == ["dan"]
        assert "labels" not in match_json_numbers(jobs.with_name("numbers.csv"))

    def test_columns_by_number_and_by_default(self, jobs):
        assert match_json(jobs, "--left", 2, "--right", 3)["labels"]["left"] == "worker"
        facts = match_json(jobs, "--right", "job")
        assert facts["labels"]["left"] == "hours"
        assert facts["cardinality"] == 4
        jobs.write_text("2,1\nann,cook\n")  # a name beats a number
        assert match_json(jobs, "--left", "1")["labels"]["pairs"] == [["cook", "ann"]]

    @pytest.mark.parametrize(
        ("args", "says"),
        [
            (["--left", "boss"], "no column 'boss'; the columns are 'hours', 'worker', 'job'"),
            (["--left", "4"], "no column '4'"),
            (["--left", "0"], "no column '0'"),
            (["--left", "job", "--right", "3"], "both the column 'job'"),
            (["--left", "job", "--base", "1"], "--base is for files of numbers"),
            (["--left", "job", "--format", "mtx"], "not for the format 'mtx'"),
            (["--left", "job", "-o", "m.json"], "'m.json' must end in .csv, .tsv or .npz"),
            (["-o", "m.csv"], "'m.csv' must end in .npz, .txt or .json"),
        ],
    )
    def test_wrong_usage(self, jobs, args, says):
        assert says in run("match", jobs, *args, code=exit_codes.USAGE).stderr

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("worker,job\nann,cook\nbob,\n", "jobs.csv, line 3: no label in column 'job'"),
            ("worker,job\n  ,cook\n", "line 2: no label in column 'worker'"),
            ("worker,job\n\n\nann\n", "line 4: no label in column 'job'"),
            ('worker,job\n"a\nb",cook\n,x\n', "line 4: no label in column 'worker'"),
            ("", "the file is empty"),
            ("\n \n", "the file is empty"),
            ("worker\nann\n", "line 1: edges need two columns"),
            ('worker,job\nann,"cook\n', "line 2: unexpected end of data"),
            ('worker,job\nann,"co"ok\n', "line 2: "),
            ("worker,job\nann," + "x" * 200_000, "line 2: field larger"),
            ("worker,worker\nann,cook\n", "2 columns are called 'worker'"),
        ],
    )
    def test_broken_files(self, jobs, text, says):
        jobs.write_text(text)
        code = exit_codes.USAGE if "are called" in says else exit_codes.ERROR
        assert says in run("match", jobs, "--left", "worker", code=code).stderr

    def test_not_utf_8(self, jobs):
        jobs.write_bytes("worker,job\nann,cook\nzoë,sew\n".encode("latin-1"))
        stderr = run("match", jobs, *self.BY_NAME, code=exit_codes.ERROR).stderr
        assert "jobs.csv, line 3: not text in UTF-8" in stderr

    def test_missing_file_and_folder(self, tmp_path):
        for path in (tmp_path / "nope.csv", tmp_path):
            assert "error: " in run("match", path, *self.BY_NAME, code=exit_codes.ERROR).stderr

    @pytest.mark.parametrize(
        "text",
        [
            "\ufeffworker,job\nann,cook\nbob,cook\nbob,sew\n",
            "worker;job\nann;cook\nbob;cook\nbob;sew\n",
            "worker\tjob\nann\tcook\nbob\tcook\nbob\tsew\n",
            "worker,job\r\nann,cook\r\nbob,cook\r\nbob,sew\r\n",
            '"worker","job"\n"ann","cook"\n"bob","cook"\n"bob","sew"\n',
            "\nworker , job\nann , cook\n\nbob, cook,,\n bob,sew\n , \nann,cook",
        ],
        ids=["signature", "semicolons", "tabs", "windows", "quotes", "spaces"],
    )
    def test_dialects(self, jobs, text):
        jobs.write_bytes(text.encode())
        facts = match_json(jobs, *self.BY_NAME)
        assert facts["labels"]["pairs"] == [["ann", "cook"], ["bob", "sew"]]
        assert facts["is_perfect"]

    def test_labels_that_need_quotes(self, jobs, tmp_path):
        jobs.write_text('"the, worker",job\n"a, b","say ""hi"""\n"c\nd",é\n', encoding="utf-8")
        run("match", jobs, "--left", "the, worker", "-o", tmp_path / "out.csv", "-q")
        assert (tmp_path / "out.csv").read_bytes().decode() == (
            '"the, worker",job\n"a, b","say ""hi"""\n"c\nd",é\n'
        )

    def test_other_files(self, jobs, tmp_path):
        packed = tmp_path / "jobs.tsv.gz"
        packed.write_bytes(gzip.compress(jobs.read_bytes().replace(b",", b"\t")))
        run("match", packed, *self.BY_NAME, "-o", tmp_path / "out.tsv", "-q")
        assert (tmp_path / "out.tsv").read_text().startswith("worker\tjob\n")
        packed.write_bytes(packed.read_bytes()[:-9])
        assert "damaged" in run("match", packed, *self.BY_NAME, code=exit_codes.ERROR).stderr
        run("match", jobs, *self.BY_NAME, "-o", tmp_path / "m.npz", "-q")
        again = match_json(jobs, *self.BY_NAME, "--initial", tmp_path / "m.npz")
        assert again["stats"]["start_cardinality"] == 3

    def test_quiet(self, jobs):
        assert run("match", jobs, *self.BY_NAME, "-q").output == ""

    def test_time_limit(self, jobs, tmp_path):
        out = tmp_path / "out.csv"
        args = (jobs, *self.BY_NAME, "--time-limit", 0, "-o", out)
        labels = match_json(*args, code=exit_codes.TIME_LIMIT)["labels"]
        assert labels["pairs"] == []
        assert labels["unmatched_left"] == ["ann", "bob", "cid", "dan"]
        assert labels["reasons_left"] is labels["reasons_right"] is None
        assert out.read_text() == "worker,job\n"
        text = run("match", *args, code=exit_codes.TIME_LIMIT).stdout
        assert "4 in worker" in text
        assert "why" not in text

    def test_many_reasons_are_cut(self, jobs):
        lines = [f"w{k},j{k // 2}" for k in range(60)]
        jobs.write_text("\n".join(["worker,job", *lines]))
        words = " ".join(run("match", jobs, *self.BY_NAME).stdout.split())
        assert "and 20 others" in words
        assert words.count("2 for 1") == 5
        assert "… and 25 more groups with 25 unmatched; --json lists all" in words
        jobs.write_text("\n".join(["worker,job", *lines[:12]]))
        assert "… and 1 more group with 1" in " ".join(
            run("match", jobs, *self.BY_NAME).stdout.split()
        )

    def test_all_on_the_left_matched(self, jobs):
        jobs.write_text("worker,job\nann,cook\nann,sew\n")
        text = run("match", jobs, *self.BY_NAME).stdout
        assert "0 in worker, 1 in job" in text
        assert "why" not in text

    def test_hint_where_labels_were_meant(self, jobs, tmp_path):
        stderr = run("match", jobs, code=exit_codes.ERROR).stderr
        assert "(columns of labels are read with --left NAME --right NAME)" in stderr
        broken = tmp_path / "a.mtx"
        broken.write_text("ann\n")
        assert "--left" not in run("match", broken, code=exit_codes.ERROR).stderr


def match_json_numbers(path):
    path.write_text("0,0\n1,1\n")
    return match_json(path)
