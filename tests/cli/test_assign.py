"""``berge assign``."""

from __future__ import annotations

import json
from functools import partial

import pytest

from berge import Assignment
from berge.cli import exit_codes

from . import invoke

run = partial(invoke.run, "assign")
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
    run(scores, *COLUMNS, "-o", output)
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
