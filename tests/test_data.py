"""Real graphs against their known maximum cardinalities, where the folder is there."""

from __future__ import annotations

import re

import numpy as np
import pytest

import berge

from .conftest import COMPILED, DATA


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


@pytest.mark.parametrize("name", [n for n in KNOWN if (DATA / f"{n}.npz").stat().st_size < 1e6])
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_every_algorithm(name, threads):
    graph = berge.read(DATA / f"{name}.npz")
    for algorithm in berge.algorithms("exact"):
        if threads > 1 and not algorithm.threads:
            continue
        for init in berge.algorithms("start"):
            matching = berge.maximum_matching(
                graph, algorithm=algorithm.name, init=init.name, threads=threads
            )
            assert matching.cardinality == KNOWN[name], (algorithm.name, init.name)
            berge.verify(graph, matching)


def test_weights_in_the_file_do_not_matter():
    name = next(n for n in KNOWN if "data" in np.load(DATA / f"{n}.npz"))
    assert berge.read(DATA / f"{name}.npz").nnz == np.load(DATA / f"{name}.npz")["indices"].size
