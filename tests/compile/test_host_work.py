"""What the host does for a solve on CUDA: launches, copies and waits, counted in the simulator."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import contextmanager
from unittest.mock import patch

import pytest

import berge
from berge import generate
from berge.tuning import AHEAD_ON_CUDA

from ..conftest import in_simulator, simulator

pytest.importorskip("numba.cuda", reason="numba-cuda is not installed")
pytestmark = [pytest.mark.kernels, simulator]
APFB = ("apfb-gpubfs-ct", "apfb-gpubfs-wr-ct", "apsb-gpubfs-wr-ct")
G_PR = ("g-pr-first", "g-pr-noshr", "g-pr-shr")


@contextmanager
def counted(found: Counter):
    """Count what goes to numba: whatever has no stream, or is on the default one, waits."""
    from numba import cuda
    from numba.cuda.simulator.cudadrv.devicearray import FakeCUDAArray
    from numba.cuda.simulator.kernel import FakeCUDAKernel

    call, copy, to_device = FakeCUDAKernel.__call__, FakeCUDAArray.copy_to_host, cuda.to_device

    def launched(self, *arguments):
        found["launches"] += not self._device
        return call(self, *arguments)

    def copied(self, ary=None, stream=0):
        found["copies"] += 1
        found["bytes"] += self._ary.nbytes
        found["waits"] += not stream
        return copy(self, ary, stream)

    def sent(array, stream=0, **more):
        found["sent"] += array.nbytes
        return to_device(array, stream, **more)

    def waited(self=None):
        found["waits"] += 1

    with (
        patch.object(FakeCUDAKernel, "__call__", launched),
        patch.object(FakeCUDAArray, "copy_to_host", copied),
        patch.object(cuda, "to_device", sent),
        patch.object(cuda, "synchronize", waited),
        patch.object(cuda.stream, "synchronize", waited),
    ):
        yield


def measure() -> None:
    """Solve a graph by all variants; print what the host did, and how many steps there were."""
    graph = generate.permute(generate.chain(24), seed=1)
    for name in (*APFB, *G_PR, "apfb-queue"):
        found: Counter = Counter()
        with counted(found):
            matching = berge.maximum_matching(graph, algorithm=name, init="cheap", device="cuda")
        stats = matching.stats
        steps = {
            "phases": stats.phases, "levels": stats.levels, "iterations": stats.iterations,
            "edges": stats.traversed_edges,
        }  # fmt: skip
        print(json.dumps({"name": name, **found, **steps}))


@pytest.fixture(scope="module")
def work() -> dict[str, dict]:
    said = in_simulator("from tests.compile.test_host_work import measure; measure()")
    return {line["name"]: line for line in map(json.loads, said.splitlines())}


def reads(steps: int) -> int:
    """How often flags are read in so many steps that are launched ahead."""
    return -(-steps // AHEAD_ON_CUDA)


@pytest.mark.parametrize("name", APFB)
def test_apfb(name, work):
    """A launch a level; a wait for some levels, and one more for the gain of an iteration."""
    w = work[name]
    whole = w["levels"] + (AHEAD_ON_CUDA - 1) * w["phases"]  # with levels that find nothing
    assert w["launches"] <= whole + 7 * w["phases"] + 4
    assert w["waits"] <= reads(w["levels"]) + 3 * w["phases"] + 4
    assert w["copies"] <= w["waits"]


@pytest.mark.parametrize("name", G_PR)
def test_g_pr(name, work):
    """Two launches an iteration, or one; a wait for some of them, and for some levels."""
    w = work[name]
    each = 1 if name == "g-pr-first" else 2
    ahead = AHEAD_ON_CUDA * w["phases"]
    assert (
        w["launches"]
        <= each * (w["iterations"] + ahead) + w["levels"] + ahead + 4 * w["phases"] + 30
    )
    assert w["waits"] <= reads(w["iterations"]) + reads(w["levels"]) + 3 * w["phases"] + 12


def test_nothing_is_counted_on_a_gpu_unless_asked_for(work):
    assert {w["edges"] for w in work.values()} == {0}


def test_only_flags_and_the_matching_come_back(work):
    for name, w in work.items():
        assert w["bytes"] < 64 * w["copies"] + 2 * 4 * 24 * 2, name
