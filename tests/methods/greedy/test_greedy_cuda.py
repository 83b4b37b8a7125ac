"""Greedy methods in numba's CUDA simulator.

That their kernels compile for GPUs is in test_cuda.py.
"""

from __future__ import annotations

import numpy as np
import pytest

import berge

from ...conftest import in_simulator, simulator

METHODS = [entry for entry in berge.algorithms("greedy") if "cuda" in entry.devices]

pytest.importorskip("numba.cuda", reason="numba-cuda is not installed")


def match_on(device: str) -> dict[str, list[list[int]]]:
    """Match and check some small graphs by every method."""
    rng = np.random.default_rng(5)
    graphs = [
        berge.Graph([0, 0, 0], []),
        berge.Graph.from_edges(np.arange(12), np.arange(1, 13), 14, np.arange(12)),
        berge.Graph.from_edges(*rng.integers(0, 30, (2, 60)), 30, rng.random(60)),
        berge.Graph.from_edges(*rng.integers(0, 25, (2, 50)), 25),
        berge.Graph.from_edges(np.zeros(9, int), np.arange(1, 10), 10),
    ]
    found: dict[str, list[list[int]]] = {}
    for entry in METHODS:
        found[entry.name] = []
        for graph in graphs:
            matching = berge.greedy_matching(graph, method=entry.name, device=device, seed=2)
            berge.verify(graph, matching)
            assert matching.is_maximal, entry.name
            assert matching.device == device
            if entry.deterministic:
                found[entry.name].append(matching.mate.tolist())
    return found


@pytest.mark.kernels
@simulator
def test_the_simulator_gives_what_threads_give():
    said = in_simulator(
        "from tests.methods.greedy.test_greedy_cuda import match_on; print(match_on('cuda'))"
    )
    assert said.strip() == str(match_on("cpu"))


@pytest.mark.gpu
def test_a_gpu_gives_what_threads_give():
    from numba import cuda

    if not cuda.is_available():
        pytest.skip("numba finds no CUDA device on this machine")
    assert match_on("cuda") == match_on("cpu")
