"""The papers' experiments: that all are there, what is made of rows, verdicts both ways, runs."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import berge
from berge import OptionError, generate
from berge.cli import cli
from berge.methods.greedy.proposals import first_round
from berge_lab.bench import runner
from berge_lab.bench.machine import machine
from berge_lab.bench.measure import UNMEASURED, measure, measure_several, save_graph
from berge_lab.bench.results import read_lines
from berge_lab.bench.suite import GraphSource
from berge_lab.report.model import Report
from berge_lab.reproduce import PAPERS, apfb, build_report, colours, g_pr, greedy
from berge_lab.reproduce import run as module
from berge_lab.reproduce.experiment import (
    COMPUTED,
    IN_PRINT,
    Outcome,
    Rows,
    by_margin,
    on_graphs,
    sensitivity,
    thread_counts,
)
from berge_lab.reproduce.graphs import SUITES, class_of, graph_sets
from berge_lab.reproduce.published import APFB_TABLE_2, TABLE_I, TREE_TABLE_II, printed

# What the report has to show, or say why not.
LISTED = {
    "apfb": ["table-1", "figure-2", "figure-3", "figure-4", "figure-5", "table-2"],
    "g-pr": ["figure-1", "figure-2", "figure-3", "figure-4", "table-I"],
    "greedy": ["figure-2", "figure-3", "figure-4", "figure-5"],
    "tree-grafting": ["figure-1", "table-II", "figure-3", "figure-4", "figure-5", "figure-6",
                      "figure-7", "figure-8", "psi"],
}  # fmt: skip
ITEMS = [f"{paper}/{item}" for paper, items in LISTED.items() for item in items]


def made_up(graph, setting, one_of):
    """A row as if it had been measured: in a world some algorithms are better than others.

    `one_of` is asked for a number that belongs to a name in this world.
    """
    label, kind = setting.name.rpartition(" t")[0], class_of(graph.name)
    group = label.split()[2] if label.startswith("g-pr") else label  # adaptive, fix
    few, large = one_of(f"{group} few", [1, 2, 6]), one_of(f"{label} large", [0.85, 1, 1.2])
    edges = 3000 + 7 * len(graph.name)
    seconds = 1e-3 * one_of(group, [0.2, 1, 5])
    if "p" in setting.arguments:
        seconds = 1e-3 * (1 + one_of("hill", [-1, 3]) * abs(setting.arguments["p"] - 0.53406))
    if setting.arguments["threads"] > 1:
        seconds *= one_of("scaling", [0.1, 1])
    if label.startswith("ms-bfs-graft"):
        seconds *= one_of(kind, [0.5, 1, 3])
    if label == "random":
        seconds *= edges ** one_of("growth", [-1, 1])
    if "permute" in graph.spec:
        seconds *= one_of(f"{label} permuted", [0.5, 2])
    repeats = setting.repeats or 3
    row = UNMEASURED | {
        "format": 1, "key": f"{graph.name}/{setting.name}", "suite": "reproduce-quick",
        "graph": graph.name, "setting": setting.name, "status": "ok", "machine": machine(),
        "rows": 1000, "cols": 1000, "edges": edges, "source": graph.spec, "time_limit": 10.0,
        "cardinality": {"networks": 500, "scientific": 1000}.get(kind, 950),
        "arguments": setting.arguments, "seconds": [seconds] * repeats,
        "search_seconds": [seconds * (1 + few * k / 100) for k in range(repeats)],
    }  # fmt: skip
    if "method" in setting.arguments:
        p = setting.arguments.get("p", 0.53406)
        first = first_round(p) + one_of("off", [0, 0.5]) * (1 - p)
        rounds = [first, *[0.7] * one_of("rounds", [0, 6]), 0.99]
        if "p" in setting.arguments and one_of("flat", [0, 1]):
            large = 1
        size = 400 * (0.995 if large == 1 and label == "proposals" else large)
        return row | {"runs": [{"size": size, "weight": 300 * large, "rounds": rounds}] * repeats}
    share = 0.5 if kind == "networks" else one_of("share", [0.1, 0.9])
    stats = {
        "init": "cheap", "start_cardinality": 900, "grafts": [one_of("grafted", [0, 7]), 7, 7, 0],
        "levels": 8 * few * (one_of(label, [1, 20]) if graph.name == "mesh3-10000" else 1),
        "phases": 2 + few + (setting.arguments["threads"] > 1) * one_of("with threads", [-1, 1]),
        "traversed_edges": 1000 * few, "augmenting_paths": 50, "average_path": 3.0 * few,
        "iterations": 100, "seconds": {"total": 1, "top-down": share, "graft": 1 - share},
        "launches": [4 * few] * 3, "active": [[0, 500], [one_of("active", [10, 90]), 1]],
        "frontiers": [[50, 40, 9], [60 * few, *[90] * few]],
    }  # fmt: skip
    return row | {"stats": stats}


@cache
def tasks():
    return module.plan("quick", Path("nowhere.jsonl"))[1]


def world(seed):
    """Rows of all measurements of the suite quick."""
    rng, known = random.Random(seed), {}

    def one_of(name, values):
        return known.setdefault(name, rng.choice(values))

    return [made_up(graph, setting, one_of) for graph, setting in tasks()]


@pytest.fixture(scope="module")
def report():
    return build_report(world(0))


# --- everything is there --------------------------------------------------------------------------


@pytest.mark.parametrize("item", ITEMS)
def test_every_figure_and_table_is_in_the_report(item, report):
    assert any(part.id.startswith(item) for part in report.items)


def test_what_was_not_run_is_left_out():
    empty = build_report([])
    assert [*empty.items, *empty.claims, *empty.missing] == []
    assert empty.summary[-1] == "Nothing of the papers was measured."
    names = {s.name for _, s in module.plan("quick", Path("nowhere"), only=["greedy/figure-2"])[1]}
    rows = [row for row in world(0) if row["setting"] in names]
    part = build_report(rows)
    assert [item.id for item in part.items] == ["greedy/figure-2"]
    assert {claim.figure for claim in part.claims} == {"greedy/figure-2"}
    assert not part.missing
    assert part.summary[-1].startswith("This report covers only greedy/figure-2;")
    assert sum("could be tested" in line for line in part.summary) == 1
    failed = build_report([row | {"status": "failed"} for row in rows])
    assert {m.what for m in failed.missing} == {"figure 2"}
    reasons = {c.reason for c in failed.claims if not c.ours.endswith("computed for this report")}
    assert reasons == {"nothing of this kind was measured"}


def test_a_claim_that_goes_on_from_one_left_out_is_told_whole():
    whole = {claim.claim for claim in build_report(world(0)).claims}
    for experiment in ITEMS:
        names = {s.name for _, s in module.plan("quick", Path("nowhere"), only=[experiment])[1]}
        found = build_report([row for row in world(0) if row["setting"] in names]).claims
        assert found
        assert not found[0].claim.startswith("…")
        assert all(claim.claim in whole or " … " in claim.claim for claim in found)


def test_report_of_all(report):
    assert Report.from_json(json.loads(json.dumps(report.to_json()))) == report
    assert len({claim.id for claim in report.claims}) == len(report.claims)
    for claim in report.claims:
        assert (claim.verdict == "not testable here") == bool(claim.reason), claim
        assert claim.ours or claim.reason
    gpu = [claim for claim in report.claims if "GPU's seconds" in claim.reason]
    assert {claim.paper for claim in gpu} == {"apfb", "g-pr", "greedy"}
    assert "none failed" in report.summary[0]
    assert any("GPU" in missing.reason for missing in report.missing)
    assert len(report.claims) == sum(len(paper.tests) for paper in PAPERS)
    assert not any("covers only" in line for line in report.summary)


def test_failures_are_in_the_summary_and_count_nowhere():
    rows = world(0)
    bad = [row | {"status": "unproved"} for row in rows if "g-pr-first" in row["setting"]]
    found = build_report([*rows, *bad])
    assert f"{len(bad)} unproved" in found.summary[0]
    good = [row for row in rows if "g-pr-first" not in row["setting"]]
    assert found.figures == build_report(good).figures


@pytest.mark.parametrize("paths", [0, 50])
def test_nothing_to_do(paths):
    """A start that was maximum already, and searches that found nothing to count."""
    nothing = {
        "phases": 0, "levels": 0, "traversed_edges": 0, "average_path": 0.0, "iterations": 0,
        "augmenting_paths": paths, "seconds": {"total": 0.0}, "launches": [], "active": [],
        "grafts": [],
        "frontiers": [[], [0], []],
    }  # fmt: skip
    rows = [
        row | {"search_seconds": [0.0] * 3}
        | ({"stats": row["stats"] | nothing} if row["stats"] else
           {"runs": [{"size": 0, "weight": 0.0, "rounds": [0.0]}] * 3})
        for row in world(0)
    ]  # fmt: skip
    found = build_report(rows)
    assert found.claims
    assert Report.from_json(json.loads(json.dumps(found.to_json(), allow_nan=False))) == found


# --- verdicts -------------------------------------------------------------------------------------


def test_verdicts_turn_out_both_ways():
    verdicts = {}
    for seed in range(40):
        rows = Rows(world(seed))
        for paper in PAPERS:
            for test in paper.tests:
                if test.outcome is None or (found := test.outcome(rows)) is None:
                    continue
                if not found.ours.endswith((IN_PRINT, COMPUTED)):  # whatever is measured
                    verdicts.setdefault(test.claim, set()).add(found.held)
    cores = thread_counts()[-1]
    alone = {claim for claim, found in verdicts.items() if not {True, False} <= found}
    only_there = {claim for claim, found in verdicts.items() if found == {None}}
    assert alone <= only_there, alone - only_there
    assert len(only_there) <= (5 if cores > 1 else 9)  # more cores; named matrices


def test_texts_are_checked_against_their_tables():
    rows = Rows([])
    for share, held in ((43, True), (39, False)):
        assert g_pr._in_per_cent(6, share)(rows).held is held
    for mean, held in ((1.30, True), (1.40, False)):
        assert g_pr._mean_of(7, mean)(rows).held is held
    assert apfb._always(1)(rows).held
    assert not apfb._always(4)(rows).held  # APFB against APsB: 3.66 and 3.52
    assert (apfb._sooner(1, (0,)), apfb._sooner(0, (2, 3))) == (6, 14)


def test_published_numbers_stand_as_they_are_printed():
    assert printed(0.4, 2, 57) == ["0.40", "2.00", "57.00"]
    for _, *_, seconds in APFB_TABLE_2:
        assert [float(text) for text in printed(*seconds)] == list(seconds)
    for row in TABLE_I:
        assert [float(text) for text in printed(*row[6:])] == list(row[6:])
    assert TREE_TABLE_II[0][-1] == "100.00"
    tables = {table.id: table for table in build_report(world(0)).tables}
    assert tables["g-pr/table-I-published"].rows[0][-2:] == ["22.70", "0.52"]
    assert tables["tree-grafting/table-II-published"].rows[3][-2:] == ["99.97", "99.99"]


def test_colours_of_the_greedy_paper(monkeypatch):
    rows, graph = Rows([]), colours.mesh()
    for colour in (colours.full_md5, colours.quarter_md5):
        mate = colours.matched(graph, colour)
        matched = np.flatnonzero(mate >= 0)
        assert np.array_equal(mate[mate[matched]], matched)
        assert colours.free_pairs(graph, mate) == 0
    assert greedy._stuck(rows).held
    assert greedy._quarter(rows).held
    monkeypatch.setattr(greedy, "quarter_md5", lambda v, r: v % 3 == 0)
    assert not greedy._quarter(rows).held
    monkeypatch.setattr(greedy, "full_md5", lambda v, r: True)
    monkeypatch.setattr(greedy, "free_pairs", lambda graph, mate: 0)
    assert not greedy._stuck(rows).held


def test_all_codes_begin_with_one_start(small):
    """That of one thread, on the side that they search from."""
    starts = {}
    for side in ("rows", "cols"):
        for algorithm, threads in (("p-dbfs", 2), ("hopcroft-karp", 1)):
            arguments = {"algorithm": algorithm, "init": "cheap", "side": side, "threads": threads}
            found = measure(small, arguments=arguments | {"one_start": True}, repeats=1)
            assert found["status"] == "ok", found["reason"]
            starts.setdefault(side, set()).add(found["stats"]["start_cardinality"])
    with np.load(small) as stored:
        graph = berge.BipartiteGraph(stored["indptr"], stored["indices"], tuple(stored["shape"]))
    for side, g in (("rows", graph), ("cols", graph.T)):
        alone = berge.maximum_matching(g, algorithm="hopcroft-karp", init="cheap", threads=1)
        assert starts[side] == {alone.stats.start_cardinality}


def test_what_may_be_noise_is_not_told():
    rows = Rows([])
    assert rows.margin == 1.05
    for ratio, held in ((1.2, True), (1.04, None), (0.96, None), (0.8, False)):
        assert by_margin(rows, ratio, "").held is held


def test_named_matrices_are_checked():
    name, n_rows, n_cols, edges, start, maximum, *_ = TABLE_I[5]
    some = next(row for row in world(0) if row["setting"].startswith("g-pr-shr cheap adaptive 0.7"))
    sizes = {"graph": name, "rows": n_rows, "cols": n_cols, "edges": 2 * edges}
    right = some | sizes | {"cardinality": maximum}
    for row, verdict in ((right, "held"), (right | {"cardinality": maximum - 1}, "not held")):
        claims = {claim.claim: claim for claim in build_report([row]).claims}
        claim = claims["sizes and maximum cardinalities of the 28 matrices"]
        assert claim.verdict == verdict
        assert ("MM" in claim.ours) == (verdict == "not held")
    assert start < maximum


def test_on_graphs():
    assert on_graphs([], lambda graph: True, 1.0) is None
    found = on_graphs(["a", "b", "c", "d"], lambda graph: graph != "b", 0.75)
    assert found == Outcome("on 3 of 4 graphs (asked for: 3); not on b", True)
    assert on_graphs(["a", "b"], lambda graph: graph == "a", 0.75, "more").held is False


def test_sensitivity():
    assert sensitivity([1, 2, 3]) == pytest.approx(50)
    assert sensitivity([2]) == sensitivity([]) == 0


# --- rows -----------------------------------------------------------------------------------------


def test_rows_of_two_machines_are_not_mixed():
    rows = world(1)
    other = [row | {"machine": machine() | {"cores": 999}} for row in rows]
    slower = [row | {"search_seconds": [9 * s for s in row["search_seconds"]]} for row in other]
    both = Rows([*rows, *slower])
    assert len(both.machines) == 2
    graphs = both.having("hopcroft-karp cheap")
    assert {graph.rpartition(" [")[2] for graph in graphs} == {"A]", "B]"}
    a, b = (both.seconds(f"road-80-80 [{k}]", "hopcroft-karp cheap") for k in "AB")
    assert b == pytest.approx(9 * a)
    assert class_of("road-80-80 [B]") == "networks"
    assert build_report([*rows, *slower]).figures


def test_graph_sets(tmp_path):
    for name in ("wave.npz", "road-moscow.mtx", "delaunay_n20.mtx", "mine.mtx"):
        (tmp_path / name).touch()
    for suite in SUITES:
        sets = graph_sets(suite)
        assert {source.name for source in sets["base"]}.isdisjoint({"wave", "mine"})
        assert all(class_of(source.name) != "other" for source in sets["base"])
        split = [*sets["by karp-sipser"], *sets["by cheap"]]
        assert sorted(g.name for g in split) == sorted(g.name for g in sets["base"])
    sets = graph_sets("quick", tmp_path, [str(tmp_path / "mi*.mtx")])
    names = {name: [source.name for source in some] for name, some in sets.items()}
    assert {"wave", "mine", "delaunay_n20"} <= set(names["base"])
    assert {"wave permuted", "mine permuted"} <= set(names["permuted"])
    assert "road-moscow" in names["general"]
    assert "road-moscow with weights" in names["weighted"]
    told = json.dumps([source.spec for some in sets.values() for source in some])
    assert str(tmp_path) not in told  # results do not tell where someone keeps files
    with pytest.raises(OptionError, match=r"there is no file .*none\.mtx"):
        graph_sets("quick", None, [str(tmp_path / "none.mtx")])


def test_files_of_the_same_name_are_told_apart(tmp_path):
    files = [str(tmp_path / folder / "m.mtx") for folder in ("a", "b", "c")]
    for file, links in zip(files, (5, 5, 6), strict=True):
        Path(file).parent.mkdir()
        berge.write(generate.chain(links), file)
    a, b, c = (graph_sets("quick", None, [file])["base"][-1] for file in files)
    assert a.source == b.source != c.source
    assert sum(g.name == "m" for g in graph_sets("quick", None, files[:2])["base"]) == 1
    with pytest.raises(OptionError, match="have the same name; rename one"):
        graph_sets("quick", None, files)


def test_unknown_experiment(tmp_path):
    with pytest.raises(OptionError, match=r"no experiment is named 'x'; there are apfb/table-1"):
        module.plan("quick", tmp_path / "none.jsonl", only=["x"])


# --- measuring ------------------------------------------------------------------------------------


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "graph.npz"
    save_graph(generate.road(12, 12), path)
    return path


def test_greedy_is_measured_and_verified(small):
    found = measure(small, arguments={"method": "random", "threads": 1}, repeats=4)
    assert found["status"] == "ok", found["reason"]
    assert len(found["runs"]) == len(found["search_seconds"]) == 4
    assert len({run["size"] for run in found["runs"]}) > 1  # another order each time
    arguments = {"method": "sorted", "weights": "uniform", "threads": 1}
    a, b = (measure(small, arguments=arguments, repeats=2)["runs"] for _ in range(2))
    assert a == b
    assert 0 < a[0]["weight"] < a[0]["size"]


def test_several_in_one_process_do_not_lose_each_other(small, tmp_path):
    slow = tmp_path / "slow.npz"
    save_graph(generate.layered(60), slow)
    common = {"arguments": {}, "repeats": 1, "time_limit": 5.0, "memory_limit": None, "keep": []}
    files = [(small, None), (slow, "scipy"), (small, None)]
    requests = [common | {"file": str(file), "peer": peer} for file, peer in files]
    found = list(measure_several(requests))
    assert [row["status"] for row in found] == ["ok", "time limit", "ok"]
    assert found[0]["cardinality"] == found[2]["cardinality"] > 0


# --- the command ----------------------------------------------------------------------------------


def tiny_sets(suite, data=None, files=()):
    road = GraphSource("tiny", {"generate": "road", "width": 20, "height": 20})
    permuted = GraphSource("tiny permuted", road.spec | {"permute": 1})
    names = ("base", "by karp-sipser", "permuted", "general", "weighted", "mesh", "random")
    return {name: [road, *[permuted] * (name == "permuted")] for name in names} | {"by cheap": []}


def reproduce(*arguments, code=0):
    result = CliRunner().invoke(cli, ["reproduce", *map(str, arguments)], prog_name="berge")
    assert result.exit_code == code, f"{result.output}\n{result.exception!r}"
    return result


def test_command(tmp_path, monkeypatch):
    """Measured, resumed, a report and pages; then one that failed."""
    monkeypatch.setattr(module, "graph_sets", tiny_sets)
    command = ["-o", tmp_path / "out", "--only", "greedy/figure-4", "--only", "g-pr/figure-4"]
    reproduce(*command, "--docs", tmp_path / "docs")
    rows = read_lines(tmp_path / "out" / "results.jsonl")
    assert {row["status"] for row in rows} == {"ok"}
    names = {row["setting"].rpartition(" t")[0] for row in rows}
    assert names == {"proposals", "push-relabel cheap", "g-pr-shr cheap adaptive 0.7"}
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Figure 4: speed-up of G-PR" in page
    assert "This report covers only" in page
    assert (tmp_path / "out" / "pictures" / "g-pr" / "figure-4.svg").exists()
    text = (tmp_path / "docs" / "g-pr.md").read_text(encoding="utf-8")
    assert "figures/g-pr/figure-4.svg" in text
    assert "| claim |" in text
    assert not (tmp_path / "docs" / "apfb.md").exists()  # nothing of it was run
    assert (tmp_path / "docs" / "figures" / "g-pr" / "figure-4.svg").exists()

    assert "nothing left to measure" in reproduce(*command).output
    assert len(read_lines(tmp_path / "out" / "results.jsonl")) == len(rows)

    def fails(**request):
        return UNMEASURED | {"status": "unproved", "reason": "too small"}

    monkeypatch.setattr(runner, "measure", fails)
    monkeypatch.setattr(runner, "measure_several", lambda many: iter([fails() for _ in many]))
    result = reproduce(*command, "--only", "greedy/figure-2", "--only", "apfb/figure-5", code=1)
    assert "measurements failed" in result.output
    assert "too small" in result.output
