"""Real graphs against their known maximum cardinalities, where the folder is there."""

from __future__ import annotations

import os
import re

import numpy as np
import pytest

import berge
from berge.methods import registry

from ..conftest import COMPILED, DATA


def known_cardinalities() -> dict[str, int]:
    if not (DATA / "MANIFEST.md").exists():
        return {}
    known: dict[str, int] = {}
    for line in (DATA / "MANIFEST.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 9 and re.fullmatch(r"[\d,]+\*?", cells[9]) and cells[1] not in known:
            known[cells[1]] = int(cells[9].rstrip("*").replace(",", ""))
    return {name: size for name, size in known.items() if (DATA / f"{name}.npz").exists()}


KNOWN = known_cardinalities()

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not KNOWN, reason="no folder of real graphs (set BERGE_DATA)"),
    pytest.mark.skipif(not COMPILED, reason="too large for uncompiled kernels"),
]


def test_all_graphs_are_found():
    assert len(KNOWN) == len(list(DATA.glob("*.npz")))


@pytest.mark.parametrize("name", KNOWN)
def test_known_cardinality(name):
    graph = berge.read(DATA / f"{name}.npz")
    matching = berge.maximum_matching(graph)
    assert matching.cardinality == KNOWN[name]
    assert matching.prove(graph).size == KNOWN[name]


EVERYTHING = os.environ.get("BERGE_EVERYTHING") == "1"
MOST_EDGES = 1_000_000 if EVERYTHING else 150_000
SLOW = {("ss-dfs", "none")}  # long paths from every row: minutes on some of these graphs


def few_edges(name: str) -> bool:
    with np.load(DATA / f"{name}.npz") as stored:
        return stored["indices"].size < MOST_EDGES


@pytest.mark.parametrize("name", [n for n in KNOWN if few_edges(n)])
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_every_algorithm_and_start(name, threads):
    """Graphs under 10⁶ edges if BERGE_EVERYTHING=1, else only the smallest."""
    graph = berge.read(DATA / f"{name}.npz")
    for exact in registry.variants("exact"):
        for start in berge.algorithms("start"):
            if threads > 1 and not (exact.threads or start.threads):
                continue
            if (exact.name, start.name) in SLOW and not EVERYTHING:
                continue
            # Those for GPUs are many and share their kernels.
            few = threads == 2 and start.name in ("none", "karp-sipser")
            if "cuda" in exact.devices and not few and not EVERYTHING:
                continue
            matching = berge.maximum_matching(
                graph, algorithm=exact.name, init=start.name, threads=threads
            )
            assert matching.cardinality == KNOWN[name], (exact.name, start.name)
            matching.prove(graph)


def test_weights_in_the_file_do_not_matter():
    for name in KNOWN:
        with np.load(DATA / f"{name}.npz") as stored:
            if "data" in stored:
                assert berge.read(DATA / f"{name}.npz").nnz == stored["indices"].size
                return
    pytest.fail("no graph with weights")
