"""Suites, measurements in processes of their own, results files, and what is shown of them."""

from __future__ import annotations

import csv
import json
import math

import numpy as np
import pytest
import scipy.sparse
from click.testing import CliRunner
from tests.conftest import COMPILED

import berge
from berge import FormatError, OptionError, generate
from berge.cli import cli, exit_codes
from berge.graphs import workspace
from berge_lab.bench import families, loop, runner, startup
from berge_lab.bench import measure as module
from berge_lab.bench.gather import gather, gather_one_by_one, gather_seconds
from berge_lab.bench.machine import machine
from berge_lab.bench.measure import UNMEASURED, measure, save_graph, warm_up, work
from berge_lab.bench.peers import PEERS, Peer
from berge_lab.bench.ratios import geometric_mean, profiles, slowdowns, speedups
from berge_lab.bench.results import Results, read_lines
from berge_lab.bench.suite import BUILT_IN, read_suite

SUITE = """
title = "two small graphs"
repeats = 1
time_limit = 30
peers = ["scipy"]
[[settings]]
algorithm = "pothen-fan"
threads = 1
[[graphs]]
generate = "chain"
links = 50
[[graphs]]
name = "random"
generate = "erdos-renyi"
n_rows = 40
n_cols = 30
n_edges = 90
"""


def berge_bench(*arguments, code=0):
    result = CliRunner().invoke(cli, ["bench", *map(str, arguments)], prog_name="berge")
    assert result.exit_code == code, f"{result.output}\n{result.exception!r}"
    return result


def suite_file(folder, text):
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def saved(graph, folder):
    path = folder / "graph.npz"
    save_graph(graph, path)
    return path


def told(graph, folder, peer=None, **request):
    """Do the work of a measurement in this process."""
    steps = []
    request = {"arguments": {}, "repeats": 1, "time_limit": 60, "memory_limit": None} | request
    work({"file": str(saved(graph, folder)), "peer": peer} | request, steps.append)
    return steps


def row(graph, setting, seconds, *, status="ok", gathers=(0.5, 0.5), peer=None, **more):
    """A line of a results file; a run over the limit of 10 s has no seconds."""
    return {
        "format": 1, "graph": graph, "setting": setting, "peer": peer, "status": status,
        "reason": None if status == "ok" else f"why {status}", "seconds": seconds,
        "convert_seconds": None, "gather_seconds": list(gathers), "memory": None, "rows": 10,
        "cols": 10, "edges": 20, "cardinality": 5, "time_limit": 10.0,
    } | more  # fmt: skip


# --- suites -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("repeats = 1", "repeats = 0"), "repeats: must be a whole number from 1 on, not 0"),
        (("time_limit = 30", "time_limit = 'x'"), "time_limit: must be a number above 0, not 'x'"),
        (("repeats = 1", "repeat = 1"), "unknown key 'repeat'; did you mean 'repeats'"),
        (("repeats = 1", "memory_limit = -1"), "memory_limit: must be a number above 0"),
        (('["scipy"]', '["matlab"]'), "peers: 'matlab' is not one of scipy, igraph"),
        (('["scipy"]', '"scipy"'), "peers: must be a list of names"),
        (('"pothen-fan"', '"pothen"'), r"settings\[0\]: .*did you mean 'pothen-fan'"),
        (("threads = 1", "threads = [1, 0]"), r"settings\[0\].threads: .* not 0"),
        (("threads = 1", "side = 'left'"), r"settings\[0\].side: must be .* not 'left'"),
        (("threads = 1", "thread = 1"), r"settings\[0\]: unknown key 'thread'; did you mean"),
        (("threads = 1", "options = 3"), r"settings\[0\].options: must be a table"),
        (("threads = 1", "options = {alpha = 2}"), r"settings\[0\]: .*has no option 'alpha'"),
        (('"chain"', '"path"'), r"graphs\[0\].generate: 'path' is not one of rmat"),
        (("links = 50", "links = 50\nlength = 3"), r"graphs\[0\]: unknown key 'length'"),
        (("links = 50", ""), r"graphs\[0\]: chain needs 'links'"),
        (("links = 50", "links = 50\npermute = -1"), r"graphs\[0\].permute: must be"),
        (('name = "random"', 'name = "chain-50"'), "graphs: two have the name 'chain-50'"),
        (('name = "random"', "name = 5"), r"graphs\[1\].name: must be text, not 5"),
        (('generate = "chain"\nlinks = 50', ""), r"graphs\[0\]: needs one of the keys"),
        (('generate = "chain"\nlinks = 50', 'files = "none.mtx"'),
         r"graphs\[0\]: there is no file .*none.mtx"),
        (('generate = "chain"\nlinks = 50', 'files = "*.mtx"'), r"graphs\[0\]: there is no file"),
        (('generate = "chain"\nlinks = 50', 'folder = "$BERGE_NONE"\nfiles = "a.mtx"'),
         r"graphs\[0\]: .*needs the environment variable BERGE_NONE"),
        (("[[graphs]]", "[[graphs"), "not TOML"),
        (("[[settings]]", "[settings]"), r"settings: must be tables, each begun by \[\[settings"),
    ],
)  # fmt: skip
def test_wrong_suites(change, message, tmp_path):
    path = suite_file(tmp_path, SUITE.replace(*change, 1))
    with pytest.raises(OptionError, match=f"mine.toml: {message}"):
        read_suite(path)


def test_suites_without_graphs_or_of_no_such_name(tmp_path):
    with pytest.raises(OptionError, match="graphs: there are none"):
        read_suite(suite_file(tmp_path, "peers = ['scipy']"))
    with pytest.raises(
        OptionError, match=r"'quik' is not a \.toml file nor one of quick, standard"
    ):
        read_suite("quik")


def test_names_files_and_threads(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    for name in ("a.mtx", "b.mtx.gz"):
        berge.write(generate.chain(3), tmp_path / "data" / name)
    monkeypatch.setenv("BERGE_SOMEWHERE", str(tmp_path / "data"))
    text = """
    [[settings]]
    [[settings]]
    algorithm = "ms-bfs-graft"
    init = "cheap"
    side = "cols"
    threads = [1, 2]
    options = {alpha = 2}
    [[graphs]]
    files = "data/*.mtx*"
    [[graphs]]
    folder = "$BERGE_SOMEWHERE"
    files = ["a.mtx"]
    permute = 3
    [[graphs]]
    generate = "grid"
    width = 4
    height = 5
    """
    suite = read_suite(suite_file(tmp_path, text))
    assert [g.name for g in suite.graphs] == ["a", "b", "a permuted", "grid-4-5"]
    assert suite.graphs[2].spec == {"file": "$BERGE_SOMEWHERE/a.mtx", "permute": 3}
    assert [g.load().n_rows for g in suite.graphs] == [3, 3, 3, 20]
    graft = "ms-bfs-graft cheap cols alpha=2"
    assert [s.name for s in suite.settings] == ["auto", f"{graft} t1", f"{graft} t2"]
    expected = {"algorithm": "ms-bfs-graft", "init": "cheap", "side": "cols", "alpha": 2}
    assert suite.settings[1].arguments == expected | {"threads": 1}
    assert (suite.repeats, suite.time_limit, suite.memory_limit) == (3, 60, None)


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_suites(name, tmp_path, monkeypatch):
    monkeypatch.setenv("BERGE_DATA", str(tmp_path))
    if name in ("data", "folder", "choice"):
        with pytest.raises(OptionError, match="there is no file"):
            read_suite(name)
        named = BUILT_IN["data" if name == "folder" else name]
        for line in named.read_text(encoding="utf-8").split('"'):
            if line.endswith(".npz"):
                (tmp_path / line).touch()
    suite = read_suite(name)
    assert suite.title
    assert any(setting.peer is None for setting in suite.settings)
    assert len(suite.graphs) >= 5


# --- families ---------------------------------------------------------------------------------


def test_families():
    wall = families.brick(20, 10, 3, seed=1)
    full = families.brick(20, 10, 0)
    assert set(full.row_degrees) == set(full.col_degrees) == {3}
    assert (wall.nonempty_rows, wall.nonempty_cols) == (197, 197)
    same, other = families.brick(20, 10, 3, seed=1), families.brick(20, 10, 3, seed=2)
    assert np.array_equal(wall.indices, same.indices)
    assert not np.array_equal(wall.indices, other.indices)
    assert set(families.regular(50, 1).row_degrees) == {1}
    drawn = families.regular(2000)
    assert drawn.row_degrees.max() == drawn.col_degrees.max() == 3
    assert drawn.nnz > 5980
    some = families.preferential(1000, 3)
    matrix = some.to_scipy()
    assert (matrix - scipy.sparse.tril(matrix, -1)).nnz == 0  # they point at earlier ones
    assert some.row_degrees.max() == 3
    assert some.col_degrees.max() > 30 > 10 * np.median(some.col_degrees)
    few = families.few_columns(500, 40)
    assert few.nonempty_cols <= 40 < few.nonempty_rows == 500
    told = families.documents(500, 300)
    assert told.shape == (500, 300)
    assert told.row_degrees.max() > 2 * np.median(told.row_degrees)
    assert told.col_degrees.max() > 20 * np.median(told.col_degrees)


# --- measurements -------------------------------------------------------------------------------


def test_contenders_take_turns_and_the_fastest_run_counts(monkeypatch):
    now, order = [0.0], []

    def contender(name, *seconds):
        left = iter(seconds)

        def solve():
            order.append(name)
            now[0] += next(left)
            return name, now[0]

        return solve

    found = loop.in_turns(
        {"a": contender("a", 9, 3, 1, 2), "b": contender("b", 9, 5, 6, 7)},
        3,
        check=lambda result: result[0].upper(),
        clock=lambda: now[0],
    )
    assert order == ["a", "b"] * 4  # the first ones were to warm up
    assert found["a"].seconds == [3, 1, 2]
    assert (found["a"].best, found["b"].best, found["b"].told) == (1, 5, "B")


def test_a_contender_that_has_had_enough_or_is_late_is_not_run_again():
    now = [0.0]

    def solve(seconds):
        now[0] += seconds
        return seconds

    def check(seconds):
        if seconds > 5:
            raise TimeoutError("late")
        return seconds

    contenders = {str(s): lambda s=s: solve(s) for s in (1, 4, 6)}
    how = {"warm_up": False, "check": check, "least": 2, "enough": 3, "clock": lambda: now[0]}
    found = loop.in_turns(contenders, 9, **how)
    assert {name: timing.seconds for name, timing in found.items()} == {
        "1": [1] * 4, "4": [4, 4], "6": [],
    }  # fmt: skip
    assert (found["6"].failure, found["6"].best, found["6"].told) == ("late", math.inf, None)
    assert found["1"].failure is None


@pytest.mark.kernels
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_gather_reads_every_index(dtype):
    graph = generate.erdos_renyi(30, 20, 100)
    x = np.arange(20, dtype=dtype) ** 2
    indices = graph.indices.astype(dtype)
    for read in (gather, gather_one_by_one):
        assert read(indices.view(f"u{indices.itemsize}"), x) == x[graph.indices].sum()
    matrix = graph.to_scipy()
    there, back = gather_seconds(matrix)
    assert 0 < there < 1
    assert 0 < back < 1


@pytest.mark.parametrize("peer", PEERS)
def test_peers_find_maximum_matchings(peer, tmp_path):
    if PEERS[peer].missing:
        pytest.skip(PEERS[peer].missing)
    for graph in (generate.power_law(60, 50), generate.road(8, 8), generate.star(5)):
        steps = told(graph, tmp_path, peer)
        assert steps[-1]["cardinality"] == berge.maximum_matching(graph).cardinality
        assert [*map(list, steps[:2])] == [["gather_seconds"], ["convert_seconds"]]


def test_what_is_told_of_ours(tmp_path):
    graph = generate.road(60, 60)
    arguments = {"algorithm": "pothen-fan", "init": "cheap", "threads": 1}
    steps = told(graph, tmp_path, arguments=arguments, repeats=2)
    units, *runs = steps
    assert len(runs) == 2
    assert all(unit > 0 for unit in units["gather_seconds"])
    assert all(run["seconds"] >= run["stats"]["seconds"]["total"] > 0 for run in runs)
    assert all(run["proof_seconds"] > 0 for run in runs)
    assert {run["stats"]["algorithm"] for run in runs} == {"pothen-fan"}
    assert ["memory" in run for run in runs] == [loop._reset_peak() is not None, False]
    json.dumps(steps)


def test_warming_up_leaves_no_working_memory():
    """Else the memory of the first run that is measured would not be seen."""
    berge.maximum_matching(generate.grid(300, 300))
    assert workspace._kept
    module._WARM.clear()
    warm_up(generate.grid(3, 3), {})
    assert not workspace._kept


def test_runs_are_not_repeated_beyond_the_limit(tmp_path, monkeypatch):
    clock = iter(range(0, 10_000, 20))
    monkeypatch.setattr(module.time, "perf_counter", lambda: next(clock))
    assert len(told(generate.chain(5), tmp_path, "scipy", repeats=9, time_limit=250)) == 2 + 3


def liar(match):
    return Peer("scipy", "", "", lambda matrix: (lambda: None, lambda found: match), lambda: True)


@pytest.mark.parametrize(
    ("match", "reason"),
    [
        ([-1, -1, -1], "not maximum"),
        ([2, 2, 0], "row 0 is matched to column 2, which is matched to 1"),
        ([2, 1, 0], "row 0 is matched to column 2, not a neighbour"),
        ([0, 1, 9], "row 2 is matched to column 9: out of range"),
        ([0, 1], "the matching is for 2 × 3 vertices"),
    ],
)
def test_a_lying_peer_is_found_out(match, reason, tmp_path, monkeypatch):
    monkeypatch.setitem(PEERS, "scipy", liar(np.array(match)))
    steps = told(generate.chain(3), tmp_path, "scipy", repeats=3)
    assert steps[-1]["status"] == "unproved"
    assert reason in steps[-1]["reason"]
    assert not any("seconds" in step for step in steps)


def test_an_unproved_answer_of_ours_is_found_out(tmp_path, monkeypatch):
    empty = berge.Matching.empty(generate.chain(3))
    monkeypatch.setattr("berge.solve.maximum.maximum_matching", lambda graph: empty)
    assert told(generate.chain(3), tmp_path)[-1]["status"] == "unproved"


def test_measured_over_the_time_limit(tmp_path):
    found = measure(saved(generate.layered(60), tmp_path), peer="scipy", time_limit=0.3)
    assert (found["status"], found["reason"], found["seconds"]) == ("time limit", "over 0.3 s", [])
    assert len(found["gather_seconds"]) == 2


def test_measured_failure_says_why(tmp_path):
    """networkx runs into its recursion limit on a long chain."""
    found = measure(saved(generate.chain(4000), tmp_path), peer="networkx")
    assert found["status"] == "failed"
    assert found["reason"].startswith("RecursionError")


def test_measured_over_the_memory_limit(tmp_path):
    if loop._reset_peak() is None:
        pytest.skip("memory is measured on Linux")
    graph = saved(generate.erdos_renyi(30_000, 30_000, 300_000), tmp_path)
    arguments = {"algorithm": "pothen-fan", "init": "karp-sipser", "threads": 1}
    found = measure(graph, arguments=arguments, memory_limit=1e-5, repeats=1)
    assert found["status"] == "memory limit", found["reason"]


def test_a_peer_that_is_not_installed(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    found = measure(tmp_path / "none", peer="igraph")
    assert found["status"] == "not available"
    assert found["reason"] == "not installed (pip install igraph)"


def test_failures():
    assert module._failure(-9, "", 5) == ("failed", "ended by SIGKILL")
    assert module._failure(1, "…\nMemoryError", 5) == ("memory limit", "MemoryError")


def test_machine():
    facts = machine()
    assert facts["cores"] >= 1
    assert {"python", "numpy", "scipy", "numba", "berge"} <= set(facts["versions"])


# --- running suites -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Results of the small suite."""
    if not COMPILED:
        pytest.skip("processes of their own")
    folder = tmp_path_factory.mktemp("bench")
    suite = suite_file(folder, SUITE)
    berge_bench("run", suite, "-o", folder / "results.jsonl")
    return suite, folder / "results.jsonl"


def test_a_suite_from_end_to_end(measured):
    rows = read_lines(measured[1])
    assert {(r["graph"], r["setting"]) for r in rows} == {
        (graph, setting)
        for graph in ("chain-50", "random")
        for setting in ("pothen-fan t1", "scipy")
    }
    assert {r["status"] for r in rows} == {"ok"}
    assert {r["cardinality"] for r in rows if r["graph"] == "chain-50"} == {50}
    assert all(len(r["seconds"]) == r["repeats"] == 1 for r in rows)
    assert all(r["machine"]["versions"]["berge"] == berge.__version__ for r in rows)
    assert {r["source"]["generate"] for r in rows} == {"chain", "erdos-renyi"}


def test_a_suite_goes_on_where_it_stopped(measured, tmp_path):
    suite, results = measured
    copy = tmp_path / "copy.jsonl"
    lines = results.read_text(encoding="utf-8").splitlines()
    copy.write_text("\n".join([*lines[:3], lines[3][:100]]), encoding="utf-8")  # cut off
    tasks = runner.plan(read_suite(suite), copy)
    cut = json.loads(lines[3])
    assert [(g.name, s.name) for g, s in tasks] == [(cut["graph"], cut["setting"])]
    berge_bench("run", suite, "-o", copy)
    again = read_lines(copy)
    assert [row["key"] for row in again] == [json.loads(line)["key"] for line in lines]
    before = copy.read_bytes()
    said = berge_bench("run", suite, "-o", copy).stderr
    assert len(said.splitlines()) == 1  # no bar
    assert "nothing left to measure" in said
    assert copy.read_bytes() == before
    # Another limit is another measurement; so is everything with --again.
    longer = suite_file(tmp_path, SUITE.replace("time_limit = 30", "time_limit = 31"))
    assert len(runner.plan(read_suite(longer), copy)) == 4
    assert len(runner.plan(read_suite(suite), copy, again=True)) == 4


def test_order_is_shuffled_by_the_seed(tmp_path):
    def order(seed):
        suite = read_suite(suite_file(tmp_path, f"seed = {seed}\n{SUITE}"))
        return [(g.name, s.name) for g, s in runner.plan(suite, tmp_path / "none")]

    assert order(1) == order(1)
    assert len({tuple(order(seed)) for seed in range(10)}) > 1
    assert len({frozenset(order(seed)) for seed in range(10)}) == 1


def test_choosing_graphs_and_settings(tmp_path):
    suite = read_suite(suite_file(tmp_path, SUITE))
    tasks = runner.plan(suite, tmp_path / "none", graphs=["chain*"], settings=["scipy"])
    assert [(g.name, s.name) for g, s in tasks] == [("chain-50", "scipy")]
    with pytest.raises(OptionError, match="no setting is named 'x'; there are pothen-fan t1"):
        runner.plan(suite, tmp_path / "none", settings=["x"])


def test_interrupted(tmp_path, monkeypatch):
    calls = []

    def second_time(*args, **kwargs):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return UNMEASURED | {"status": "ok", "seconds": [1.0]}

    monkeypatch.setattr(runner, "measure", second_time)
    output = tmp_path / "r.jsonl"
    result = berge_bench("run", suite_file(tmp_path, SUITE), "-o", output,
                         code=exit_codes.INTERRUPTED)  # fmt: skip
    assert "interrupted" in result.stderr
    assert len(read_lines(output)) == 1


def test_void_rows_are_kept_told_and_measured_again(tmp_path, monkeypatch):
    states = iter(["unproved", "time limit", "not available", "ok"])

    def measured(*args, peer, **kwargs):
        status = next(states)
        seconds = [1.0] if status == "ok" else []
        return UNMEASURED | {"status": status, "reason": f"why {status}", "seconds": seconds}

    monkeypatch.setattr(runner, "measure", measured)
    suite, output = suite_file(tmp_path, SUITE), tmp_path / "r.jsonl"
    result = berge_bench("run", suite, "-o", output, code=exit_codes.ERROR)
    assert "1 measurement failed" in result.stderr
    assert "unproved: why unproved" in result.stderr
    assert [r["status"] for r in read_lines(output)][:2] == ["unproved", "time limit"]
    assert len(runner.plan(read_suite(suite), output)) == 2
    shown = berge_bench("show", output).stdout
    assert "why not available" in shown
    assert "> 30 s" in shown


def test_a_graph_that_cannot_be_made(tmp_path):
    text = SUITE.replace("n_edges = 90", "n_edges = 9_000_000")
    output = tmp_path / "r.jsonl"
    berge_bench("run", suite_file(tmp_path, text), "-o", output, "--graph", "random", code=1)
    assert {r["status"] for r in read_lines(output)} == {"failed"}
    assert all(r["reason"].startswith("OptionError: n_edges must be") for r in read_lines(output))


def test_the_output_must_be_a_results_file(tmp_path):
    suite = suite_file(tmp_path, SUITE)
    berge_bench("run", suite, "-o", tmp_path / "r.txt", code=exit_codes.USAGE)
    other = tmp_path / "other.json"
    other.write_text('{"a": 1}\n', encoding="utf-8")
    result = berge_bench("run", suite, "-o", other, "--again", code=exit_codes.ERROR)
    assert "other.json, line 1: not a line of `berge bench run`" in result.stderr


# --- what is shown ------------------------------------------------------------------------------


@pytest.fixture
def results():
    """Two graphs; a is ours and takes 1 and 4 s, b takes 2 and the limit, c is void on one."""
    return Results(
        {
            "r": [
                row("g", "a", [3.0, 1.0, 2.0], gathers=(0.5, 0.5)),
                row("h", "a", [4.0], gathers=(0.1, 0.1)),
                row("g", "scipy", [2.0], peer="scipy", convert_seconds=3.0),
                row("h", "scipy", [], status="time limit", peer="scipy"),
                row("g", "igraph", [8.0], peer="igraph"),
                row("h", "igraph", [1e-9], status="unproved", peer="igraph"),
            ]
        }
    )


def test_the_fastest_gather_pass_of_a_machine_counts():
    rows = [
        row("g", "a", [6.0], gathers=(0.5, 0.2), machine="here"),
        row("g", "b", [6.0], gathers=(0.4, 0.9), machine="here"),
        row("g", "c", [6.0], gathers=(0.1, 0.2), machine="there"),
        row("h", "a", [6.0], gathers=(1.0, 1.0), machine="here"),
        row("h", "b", [6.0], gathers=(), machine="elsewhere"),
    ]
    results = Results({"r": rows})
    found = {key: results.value(*key, "gathers") for key in results.rows}
    expected = {("g", "a"): 10, ("g", "b"): 10, ("g", "c"): 20, ("h", "a"): 3, ("h", "b"): None}
    assert found == {key: n and pytest.approx(n) for key, n in expected.items()}
    assert rows[1]["gather_seconds"] == [0.4, 0.9]


def test_means_and_ratios(results):
    assert results.settings == ["a", "scipy", "igraph"]
    assert results.reference(None) == "a"
    assert results.baseline(None) == "scipy"
    assert results.values("a", "seconds") == {"g": 1.0, "h": 4.0}
    assert results.values("a", "median") == {"g": 2.0, "h": 4.0}
    assert results.values("a", "gathers") == pytest.approx({"g": 1.0, "h": 20.0})
    assert results.values("scipy", "seconds") == {"g": 2.0, "h": 10.0}  # the limit
    assert results.values("scipy", "with-convert") == {"g": 5.0, "h": 10.0}
    assert results.values("igraph", "seconds") == {"g": 8.0}
    ours, scipy, igraph = results.summary("a")
    assert ours["seconds"] == pytest.approx(2.0)
    assert ours["gathers"] == pytest.approx(math.sqrt(20))
    assert (ours["fastest"], ours["over"], ours["void"]) == (2, 0, 0)
    assert scipy["ratio"] == pytest.approx(math.sqrt(2 * 2.5))
    assert (scipy["least"], scipy["most"]) == (2.0, 2.5)
    assert (scipy["over"], scipy["fastest"]) == (1, 0)
    assert (igraph["graphs"], igraph["void"], igraph["ratio"]) == (1, 1, pytest.approx(8.0))
    with pytest.raises(OptionError, match="setting 'z' is not one of a, scipy, igraph"):
        results.reference("z")


def test_what_choosing_costs():
    rows = [row("g", "auto", [3.0]), row("g", "b", [2.0]), row("g", "scipy", [6.0], peer="scipy")]
    rows += [row("h", "auto", [1.0]), row("h", "b", [2.0]), row("h", "btf", [0.5], peer="btf")]
    rows += [row("h", "scipy", [4.0], peer="scipy"), row("i", "auto", [1.0])]
    rows += [row("h", "igraph", [1e-9], status="unproved", peer="igraph")]
    assert Results({"r": rows}).choices("auto") == [
        {"graph": "g", "peer": "scipy", "ahead": 2.0, "best": "b", "choice": 1.5},
        {"graph": "h", "peer": "btf", "ahead": 0.5, "best": "auto", "choice": 1.0},
    ]


def test_geometric_mean():
    assert geometric_mean([2, 8]) == pytest.approx(4)
    assert math.isnan(geometric_mean([]))


def test_performance_profile(results):
    found = profiles(slowdowns(results.times()))
    assert found["a"] == ([1.0, 1.0], [0.5, 1.0], ["g", "h"])
    assert found["scipy"] == ([2.0], [0.5], ["g"])  # the other one was not solved
    assert found["igraph"] == ([8.0], [0.5], ["g"])
    # A graph that not everybody was tried on is left out, and one that nobody solved.
    more = Results({"r": [*results.rows.values(), row("i", "a", [1.0])]})
    assert more.times() == results.times()
    assert more.times(everywhere=False)["a"] == {"g": 1.0, "h": 4.0, "i": 1.0}
    assert slowdowns({"a": {"g": 1.0, "h": math.inf}}) == {"a": {"g": 1.0}}


def test_speedup_profile():
    times = {"a": {"g": 8.0, "h": 1.0, "i": 2.0}, "b": {"g": 2.0}}
    found = speedups(times, {"g": 4.0, "h": 4.0, "i": 4.0})
    assert found == {"a": {"g": 0.5, "h": 4.0, "i": 2.0}, "b": {"g": 2.0}}
    falling = profiles(found, rising=False)
    assert falling["a"] == ([4.0, 2.0, 0.5], [1 / 3, 2 / 3, 1.0], ["h", "i", "g"])
    assert falling["b"] == ([2.0], [1 / 3], ["g"])  # never reaches 1


def test_memory_is_fitted_per_vertex_and_edge():
    sizes = [(10**6, 3 * 10**6), (10**5, 5 * 10**6), (2 * 10**6, 2 * 10**6)]
    rows = [
        row(str(k), "a", [1.0], rows=n, cols=n, edges=m, memory=2 * n * 24 + m * 4)
        for k, (n, m) in enumerate(sizes)
    ]
    small = row("small", "a", [1.0], memory=12_345_678 // 10)
    (line,) = Results({"r": [*rows, small]}).memory()
    assert line["graphs"] == 3
    assert (line["vertex"], line["edge"]) == pytest.approx((24, 4))
    assert line["error"] == pytest.approx(0, abs=1e-9)


def test_files_are_told_apart_where_they_meet():
    before, after = [row("g", "a", [2.0])], [row("g", "a", [1.0]), row("g", "b", [1.0])]
    results = Results({"before": before, "after": after})
    assert results.settings == ["a [after]", "a [before]", "b [after]"]
    apart = Results({"x": before, "y": [row("g", "b", [1.0])]})
    assert apart.settings == ["a", "b"]
    # Of one file the last line counts.
    assert Results({"x": [*before, row("g", "a", [7.0])]}).value("g", "a", "seconds") == 7.0
    with pytest.raises(OptionError, match="no results"):
        Results({"x": []})


def test_broken_lines(tmp_path):
    path = tmp_path / "r.jsonl"
    good = json.dumps(row("g", "a", [1.0]))
    path.write_text(f"{good}\n{good[:20]}", encoding="utf-8")
    assert len(read_lines(path)) == 1
    path.write_text(f"{good}\n{good[:20]}\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"r\.jsonl, line 2"):
        read_lines(path)
    path.write_text(good.replace('"format": 1', '"format": 99') + "\n", encoding="utf-8")
    with pytest.raises(FormatError, match="format 99"):
        read_lines(path)


@pytest.fixture
def lines_file(results, tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in results.rows.values()), encoding="utf-8")
    return path


def test_tables(lines_file):
    text = berge_bench("show", lines_file).stdout
    for words in (
        "time, fastest run",
        "all graphs",
        "> 10 s",
        "—",
        "igraph: unproved: why unproved",
    ):
        assert words in text
    text = berge_bench("show", lines_file, "--by", "graph", "--ratio", "--markdown").stdout
    lines = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    assert lines[0] == ["| graph", "edges", "a", "scipy", "igraph |"]
    assert lines[2:] == [
        ["| g", "20", "1", "2", "8 |"],
        ["| h", "20", "1", "> 2.5", "— |"],
        ["| geometric mean", "", "1", "2.24", "8 |"],
    ]
    text = berge_bench("show", lines_file, "--by", "choice", "--markdown").stdout
    assert "| geometric mean |  | 2.24 |  | 1 |\n| worst |  | 2 |  | 1 |\n" in text
    text = berge_bench("show", lines_file, "--by", "graph", "--measure", "gathers").stdout
    assert "4.47" in text


def test_json_and_csv(lines_file, tmp_path):
    facts = json.loads(
        berge_bench("show", lines_file, "--json", "--csv", tmp_path / "t.csv").stdout
    )
    assert facts["reference"] == "a"
    assert [line["setting"] for line in facts["settings"]] == ["a", "scipy", "igraph"]
    rows = list(csv.DictReader((tmp_path / "t.csv").read_text(encoding="utf-8").splitlines()))
    assert [r["seconds"] for r in rows] == ["1.0", "4.0", "2.0", "10.0", "8.0", ""]
    assert len(facts["rows"]) == len(rows) == 6


def test_targets_are_read_from_a_file(lines_file, tmp_path):
    targets = tmp_path / "targets.toml"
    targets.write_text("g = 2\nh = 10.0\nother = 1\n", encoding="utf-8")
    text = berge_bench("show", lines_file, "--by", "setting", "--targets", targets).stdout
    assert [line.split()[1:] for line in text.splitlines() if line.startswith(("g ", "h "))] == [
        ["1", "2", "0.5"],
        ["20", "10", "2"],
    ]
    for wrong in ("g = 'x'", "x = 1", "g 2"):
        targets.write_text(wrong, encoding="utf-8")
        result = berge_bench("show", lines_file, "--targets", targets, code=exit_codes.ERROR)
        assert "targets.toml: " in result.stderr


def test_plot(lines_file, tmp_path):
    berge_bench("show", lines_file, "--plot", tmp_path / "p.png", "--by", "setting")
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
    refused = berge_bench("show", tmp_path / "none.jsonl", "--plot", "p.foo", code=exit_codes.USAGE)
    assert "must end in .png, .svg or .pdf" in refused.stderr


def test_list_of_suites():
    text = berge_bench("suites").stdout
    assert all(name in text for name in BUILT_IN)
    assert berge_bench("suites", "quick").stdout == BUILT_IN["quick"].read_text(encoding="utf-8")
    berge_bench("suites", "quik", code=exit_codes.USAGE)


def test_startup(monkeypatch):
    show = "import os; assert os.environ.get('NUMBA_CACHE_DIR', '') {} ''"
    steps = {"warm": ("pass", False), "cold": (show.format("!="), True)}
    monkeypatch.setattr(startup, "STEPS", steps)
    facts = json.loads(berge_bench("startup", "-r", "2", "--json").stdout)
    assert {name: len(seconds) for name, seconds in facts["seconds"].items()} == {
        "warm": 2, "cold": 1,
    }  # fmt: skip
    text = berge_bench("startup", "-r", "1", "--cold", "0").stdout
    assert "warm" in text
    assert "cold" not in text
    monkeypatch.setattr(startup, "STEPS", {"broken": ("raise SystemExit(1)", False)})
    berge_bench("startup", code=exit_codes.ERROR)
