"""``berge assign``."""

from __future__ import annotations

import json
from functools import partial

import pytest

from berge import Assignment
from berge.cli import exit_codes

from . import invoke

run = partial(invoke.run, "assign")
verify = partial(invoke.run_json, "verify")
match = partial(invoke.run_json, "match")
COLUMNS = ("--left", "person", "--right", "job", "--score", "points")


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("person;job;points\nann;cook;5\nann;drive;4\n\nbob; cook;3\ncid;cook;4\n")
    (tmp_path / "jobs.csv").write_text("job,places\ncook,2\n")
    return path


def facts(*args):
    return json.loads(run(*args, "--json").stdout)


def test_table_with_capacities(scores):
    output = scores.parent / "plan.csv"
    asked = ("--objective", "max", "--match", "any", "--capacity", scores.parent / "jobs.csv")
    said = run(scores, *COLUMNS, *asked, "-o", output).output
    assert "11  the best, proved" in said
    assert "scores in column points" in said
    assert "the largest sum, matching any" in said
    assert output.read_text() == "person,job,points\nann,drive,4\nbob,cook,3\ncid,cook,4\n"
    found = facts(scores, *COLUMNS, *asked)
    assert (found["total"], found["proved"], found["proved_between"]) == (11, True, [11, 11])


@pytest.mark.parametrize("suffix", [".tsv", ".json", ".npz", ".parquet"])
def test_outputs(scores, suffix):
    output = scores.parent / f"plan{suffix}"
    said = run(scores, *COLUMNS[:4], "-o", output).output
    assert "scores in column points" in said
    if suffix in (".json", ".npz"):
        plan = Assignment.load(output)
        triples = [("ann", "cook", 5), ("ann", "drive", 4), ("bob", "cook", 3), ("cid", "cook", 4)]
        assert plan.prove(triples).best == 7
    else:
        assert output.stat().st_size


def test_files_of_numbers(tmp_path):
    path = tmp_path / "a.mtx"
    path.write_text("%%MatrixMarket matrix coordinate integer general\n2 2 4\n"
                    "1 1 4\n1 2 1\n2 1 2\n2 2 3\n")  # fmt: skip
    assert facts(path)["total"] == 3
    assert facts(path, "--objective", "product")["total"] == 12
    assert facts(path, "--match", "any", "--unmatched-cost", 1)["total"] == 3
    assert not facts(path, "--no-prove")["proved"]
    run(path, "--time-limit", 0, code=exit_codes.TIME_LIMIT)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b,c\nx,y,z\n", "line 2: 'z' in column 'c' is not a number"),
        ("a,b,c\nx,y\n", "line 2: nothing in column 'c'"),
        ("a,b,c,d\nx,y,1,2\n", "--score"),
        ("", "empty"),
    ],
)
def test_errors_name_the_line(tmp_path, text, says):
    path = tmp_path / "a.csv"
    path.write_text(text)
    code = exit_codes.USAGE if says == "--score" else exit_codes.ERROR
    assert says in run(path, "--left", "a", "--right", "b", code=code).output


def test_verify(scores):
    """The proof in a file is checked against the graph in another."""
    plan = scores.parent / "plan.json"
    run(scores, *COLUMNS, "--match", "maximum", "-o", plan)
    found = verify(scores, plan, *COLUMNS)
    assert (found["is_best"], found["proved_between"]) == (True, [7, 7])
    assert invoke.run("verify", scores, plan, *COLUMNS).output.count("yes") == 2
    text = scores.read_text()
    scores.write_text(text.replace("ann;cook;5", "ann;cook;-9"))  # which is not chosen
    found = verify(scores, plan, *COLUMNS, code=exit_codes.NOT_MAXIMUM)
    assert (found["is_valid"], found["is_best"]) == (True, False)
    assert "leave room" in found["reason"]
    scores.write_text(text.replace("ann;drive;4", "ann;drive;3"))
    found = verify(scores, plan, *COLUMNS, code=exit_codes.NOT_A_MATCHING)
    assert "another weight" in found["reason"]
    invoke.run("verify", scores, plan, *COLUMNS, "--independent", code=exit_codes.USAGE)


@pytest.mark.parametrize(("match", "says"), [("full", "0 pairs of 2"), ("maximum", "no cover")])
def test_what_was_asked_is_checked(scores, match, says):
    """The best of all is to choose nothing, and the file says that more was asked."""
    plan = scores.parent / "plan.json"
    run(scores, *COLUMNS, "--match", "any", "-o", plan)
    told = json.loads(plan.read_text())
    told["proof"]["match"] = match
    plan.write_text(json.dumps(told))
    found = verify(scores, plan, *COLUMNS, code=exit_codes.NOT_MAXIMUM)
    assert says in found["reason"]


def test_lower_bounds(scores):
    """All of those who must be in a pair are, at a price."""
    asked = "--objective", "min", "--match", "any", "--at-least-right", 1, "--at-least-left", 1
    found = facts(scores, *COLUMNS, *asked, "--capacity-right", scores.parent / "jobs.csv")
    assert (found["total"], found["proved"]) == (11, True)
    numbers = scores.parent / "a.csv"
    numbers.write_text("0,0,5\n0,1,4\n1,0,3\n2,0,4\n")
    (scores.parent / "units.csv").write_text("column,places\n0,2\n")
    assert facts(numbers, *asked, "--capacity", scores.parent / "units.csv")["total"] == 11


def test_match_with_capacities(scores):
    units = scores.parent / "units.npz"
    columns = COLUMNS[:4]
    asked = "--capacity-right", scores.parent / "jobs.csv", "--at-least-left", 1
    found = match(scores, *columns, *asked, "-o", units)
    assert (found["cardinality"], found["proved"]) == (3, True)
    assert found["pairs"] == [["ann", "drive"], ["bob", "cook"], ["cid", "cook"]]
    assert verify(scores, units, *columns)["is_best"]
    said = invoke.run("match", scores, *columns, "--capacity", 2, "-o", units).output
    assert "room for 1 more pair" in said
    text = scores.read_text()
    scores.write_text(text + "dan;drive;1\n")
    verify(scores, units, *columns, code=exit_codes.NOT_A_MATCHING)
    (scores.parent / "jobs.csv").write_text("job,places\ndrive,2\n")
    scores.write_text(text)
    assert match(scores, *columns, *asked[:2], "-o", units)["cardinality"] == 2
    scores.write_text(text + "bob;drive;1\n")
    assert "not a proof" in verify(scores, units, *columns, code=exit_codes.NOT_MAXIMUM)["reason"]
    table = scores.parent / "pairs.csv"
    invoke.run("match", scores, *columns, "--capacity", 2, "-o", table)
    assert table.read_text().startswith("person,job\n")
    invoke.run("match", scores, *columns, "--capacity", 2, "--general", code=exit_codes.USAGE)
