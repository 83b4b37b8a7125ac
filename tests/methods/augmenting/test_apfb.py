"""APFB and APsB: what the paper's kernels promise, races, interrupts, and the forms with queues."""

from __future__ import annotations

import numpy as np
import pytest

import berge
from berge import BipartiteGraph, generate
from berge.compile import device as devices
from berge.methods import registry
from berge.methods.augmenting import apfb, apfb_queue
from berge_lab.bench.stress import random_graph, stress, variants

from ...conftest import COMPILED
from ...corpus import SMALL

NAMES = [a.name for a in registry.variants("exact") if a.name.startswith(("apfb", "apsb"))]
PAPER = [name for name in NAMES if "gpubfs" in name]
QUEUES = ["apfb-queue", "apfb-split"]
compiled = pytest.mark.skipif(not COMPILED, reason="races need threads")
every_name = pytest.mark.parametrize("name", NAMES)


@pytest.fixture
def threads_meet(monkeypatch):
    """Launches of any size are shared out among all threads."""
    monkeypatch.setattr(devices, "SERIAL_ITEMS", 0)


def solve(graph: BipartiteGraph, **settings) -> berge.Matching:
    matching = berge.maximum_matching(graph, **settings)
    matching.prove(graph)
    return matching


def test_the_papers_eight_variants():
    assert len(PAPER) == 8
    assert all(a.devices == ("cpu", "cuda") for a in registry.variants("exact") if a.name in NAMES)


@pytest.mark.kernels
@pytest.mark.usefixtures("threads_meet")
@every_name
def test_every_iteration_gains(name):
    """So that there are no more of them than augmenting paths, and the one that finds no path."""
    for number in range(12):
        graph = random_graph(number)
        gained = []
        matching = solve(
            graph,
            algorithm=name,
            init="none",
            threads=4,
            on_phase=lambda report, gained=gained: gained.append(
                (report.phase, report.cardinality)
            ),
        )
        after = dict(gained)  # phase → cardinality at its end
        steps = np.diff([after[phase] for phase in sorted(after)])
        assert (steps[:-1] > 0).all()
        assert matching.stats.phases <= matching.cardinality + 1


@pytest.mark.kernels
@every_name
def test_left_at_any_moment(name):
    """Between any two kernels the matching is repaired before it is handed out."""
    graph = generate.permute(generate.hidden_perfect(40, 2), seed=1)
    for stop in range(1, 40, 3):
        pauses = []

        def interrupt(report, pauses=pauses, stop=stop):
            pauses.append(report)
            if len(pauses) > stop:
                raise KeyboardInterrupt

        matching = berge.maximum_matching(
            graph, algorithm=name, init="none", threads=2, on_phase=interrupt
        )
        berge.verify(graph, matching)
        assert matching.col_match.min() >= -1
        assert matching.cardinality >= pauses[-1].cardinality


@pytest.mark.kernels
@every_name
def test_time_limit(name):
    matching = berge.maximum_matching(
        generate.chain(400), algorithm=name, init="cheap", time_limit=0
    )
    assert matching.stats.stopped == "time limit"


@pytest.mark.kernels
def test_shortest_paths_come_first():
    """APsB ends an iteration at the first level with a path, APFB goes on."""
    graph = generate.permute(generate.grid(14, 13), seed=2)
    stats = {name: solve(graph, algorithm=name, init="cheap", threads=1).stats for name in PAPER}
    for name, facts in stats.items():
        assert len(facts.launches) == facts.phases
        assert sum(facts.launches) == facts.levels
        if name.startswith("apsb"):
            assert facts.phases >= stats[name.replace("apsb", "apfb")].phases


@pytest.mark.kernels
@pytest.mark.parametrize("name", [*PAPER, "g-pr-first", "g-pr-noshr", "g-pr-shr"])
def test_what_is_launched_ahead_changes_nothing(name, monkeypatch):
    """As on CUDA: levels and iterations past the last one find nothing to do."""
    found = []
    for ahead in (1, 8):
        monkeypatch.setattr(devices.CpuDevice, "ahead", ahead)
        for number in range(10):
            matching = solve(random_graph(number), algorithm=name, init="none", threads=1)
            s = matching.stats
            facts = s.phases, s.levels, s.launches, s.iterations, s.pushes, s.traversed_edges
            found.append((matching.row_match.tolist(), *facts))
    assert found[:10] == found[10:]


@pytest.mark.kernels
def test_statistics_are_counted_or_not():
    graph = generate.permute(generate.grid(7, 8), seed=1)
    for name in (*NAMES, "g-pr-first", "g-pr-shr"):
        off, on = (
            solve(graph, algorithm=name, init="none", threads=1, statistics=word)
            for word in ("off", "on")
        )
        assert np.array_equal(off.row_match, on.row_match)
        assert off.stats.traversed_edges == off.stats.pushes == 0
        assert on.stats.traversed_edges > 0


@pytest.mark.kernels
def test_a_failure_is_not_masked(monkeypatch):
    """Nothing is launched any more on a device that has failed."""
    graph, launch = generate.permute(generate.grid(7, 8), seed=1), devices.CpuDevice.launch

    def fail(self, kernel, *arguments, **shape):
        if kernel.__name__ in ("counted_gpubfs", "counted_expand", "counted_krnl"):
            monkeypatch.setattr(devices.CpuDevice, "launch", fail_again)
            raise ZeroDivisionError
        launch(self, kernel, *arguments, **shape)

    def fail_again(self, *arguments, **shape):
        raise AssertionError("launched after a failure")

    for name in ("apfb", "apfb-queue", "g-pr-first"):
        monkeypatch.setattr(devices.CpuDevice, "launch", fail)
        monkeypatch.setattr(devices, "SERIAL_ITEMS", 0)
        with pytest.raises(ZeroDivisionError):
            solve(graph, algorithm=name, init="none", threads=2)


@pytest.mark.kernels
def test_a_root_names_column_0():
    """APsB-GPUBFS-WR writes −0 for it, which must read as "found"."""
    graph = BipartiteGraph.from_edges([0, 1, 1], [0, 0, 1], (2, 2))
    for name in PAPER:
        start = berge.Matching([-1, 1], [-1, 1], upper_bound=2)
        assert solve(graph, algorithm=name, init="none", initial=start).cardinality == 2
    assert apfb.L0 == 2


def arrays(row_match, col_match, predecessor) -> apfb.Arrays:
    """What ALTERNATE and FIXMATCHING look at; the rest is empty."""
    none, counts = np.empty(0, np.int32), np.empty(0, np.int64)
    graph = np.empty(0, np.uint32), np.empty(0, np.uint32)
    return apfb.Arrays(*graph, row_match, col_match, none, predecessor, none, counts, counts)


@pytest.mark.kernels
def test_fix_matching_frees_what_does_not_agree():
    row_match = np.array([1, -1, 2], np.int32)
    col_match = np.array([0, 0, 2, -2, -1], np.int32)
    devices.CpuDevice(1).launch(apfb.fix_matching, 5, arrays(row_match, col_match, row_match))
    assert col_match.tolist() == [-1, 0, 2, -1, -1]


@pytest.mark.kernels
def test_two_walks_that_meet():
    """One path is turned over, the other breaks off where they meet (figure 1 of the paper)."""
    row_match, col_match = np.array([-1, 0], np.int32), np.array([1, -2, -2], np.int32)
    predecessor = np.array([0, 1, 1], np.int32)  # c1 → r1 = c2 → r2, r3
    device = devices.CpuDevice(1)
    device.launch(apfb.alternate, 3, arrays(row_match, col_match, predecessor))
    device.launch(apfb.fix_matching, 3, arrays(row_match, col_match, predecessor))
    assert row_match.tolist() == [0, 1]
    assert col_match.tolist() == [0, 1, -1]


@pytest.mark.kernels
@pytest.mark.parametrize("serial", [0, 4, 512])
@pytest.mark.parametrize("name", QUEUES)
def test_queues_by_degree(name, serial, monkeypatch):
    """With limits so low that small graphs have rows of every class."""
    monkeypatch.setattr(devices, "SERIAL_ITEMS", serial)
    monkeypatch.setattr(apfb_queue, "SPLIT", (2, 4))
    monkeypatch.setattr(apfb_queue, "LANES", (1, 4, 16))
    for make, expected in SMALL.values():
        for init in ("none", "cheap"):
            matching = solve(make(), algorithm=name, init=init, threads=3)
            assert expected in (None, matching.cardinality)


@pytest.mark.kernels
def test_lanes_that_read_side_by_side():
    """As on a GPU: lane l takes every entry that is l after a multiple of the lanes."""
    graph = BipartiteGraph.from_edges(np.zeros(30, int), np.arange(30), (31, 30))
    index = graph.indices.dtype
    seen = []
    for side_by_side in (0, 1):
        a = apfb_queue.Arrays(
            indptr=graph.indptr.view(np.uint32),
            indices=graph.indices.view(np.uint32),
            row_match=np.full(31, -1, index),
            col_match=np.arange(1, 31, dtype=index),
            predecessor=np.full(30, -1, index),
            root=np.zeros(31, index),
            leaf=np.full(31, -1, index),
            queue=np.zeros(31, index),
            state=np.array([1, 0, 0, 0, 0, 0]),  # row 0 is queued
            edges=np.zeros(512, np.int64),
            long=np.int64(1),
            longest=np.int64(1),
        )
        settings = (np.int64(value) for value in (0, 8, side_by_side))
        devices.CpuDevice(1).launch(apfb_queue.counted_expand, 8, a, *settings)
        assert (a.predecessor == 0).all()
        seen.append(a.edges.sum())
    assert seen == [30, 30]


def test_runs_of_small_levels_are_one_launch():
    stats = solve(generate.chain(20_000), algorithm="apfb-queue", init="cheap").stats
    assert stats.levels == 20_000
    assert sum(stats.launches) == 1


@compiled
@pytest.mark.parametrize("threads", [2, 4])
@every_name
def test_races(name, threads):
    """Thousands of rows a level; the worst of starts."""
    for seed in range(3):
        for graph in (
            generate.erdos_renyi(6000, 5500, 14_000, seed=seed),
            generate.power_law(6000, 4000, 4, seed=seed),
            generate.permute(generate.mesh3(6000), seed=seed),
        ):
            expected = berge.maximum_matching(graph, algorithm="pothen-fan").cardinality
            found = solve(graph, algorithm=name, init="none", threads=threads).cardinality
            assert found == expected


@compiled
@pytest.mark.parametrize("threads", [2, 4])
def test_stress_in_short(threads):
    """``python -m berge_lab.bench.stress`` does this ten thousand times."""
    phases = stress(60, threads, first=1000 * threads)
    assert list(phases) == list(variants())
    assert all(count >= 40 for count in phases.values())
