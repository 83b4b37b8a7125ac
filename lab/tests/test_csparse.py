"""Coarse sizes, structural rank and number of blocks against CSparse's ``cs_dmperm``.

The tables hold what CXSparse 3.2.0 (Debian's libcxsparse3 5.12) returned, so the comparison is made
on machines without the library too; where it is installed it is asked again. None of it depends on
the maximum matching that was found. To print the tables anew:

    python -m tests.test_csparse
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.conftest import COMPILED, DATA

import berge
from berge import generate
from berge_lab.bench import csparse

GENERATED = {
    "random, square": lambda: generate.erdos_renyi(3000, 3000, 7500),
    "random, denser": lambda: generate.erdos_renyi(3000, 3000, 12_000, seed=1),
    "random, wide": lambda: generate.erdos_renyi(2000, 3000, 5000, seed=2),
    "random, tall": lambda: generate.erdos_renyi(3000, 2000, 5000, seed=3),
    "rmat": lambda: generate.rmat(12, 4),
    "rmat, paper": lambda: generate.rmat(11, 3, probabilities="paper", duplicates=True),
    "hidden perfect": lambda: generate.hidden_perfect(2000, 1),
    "grid, permuted": lambda: generate.permute(generate.grid(40, 30)),
    "chain, permuted": lambda: generate.permute(generate.chain(2000)),
    "layered": lambda: generate.layered(15),
    "Jacobian, permuted": lambda: generate.permute(generate.jacobian(2000, 10)),
    "no entries": lambda: generate.erdos_renyi(4, 3, 0),
}

# rr[1:4], cc[1:4] and nb; rr[3] is the structural rank.
REAL = {
    "NotreDame_actors": ((17390, 37096, 114762), (13061, 30451, 50157), 19604),
    "acl-paper-author": ((30566, 53922, 73183), (43921, 74487, 97843), 22435),
    "as-22july06": ((2021, 4580, 6601), (16362, 18383, 20942), 2545),
    "bayer10": ((0, 13436, 13436), (0, 0, 13436), 2545),
    "bips98_606": ((0, 7135, 7135), (0, 0, 7135), 1299),
    "cit-HepTh": ((3443, 8084, 21776), (5994, 9437, 14078), 4455),
    "cnr-2000": ((91943, 152619, 192295), (133262, 225205, 285881), 39138),
    "debian-builddeps": ((4696, 9605, 14669), (8590, 13286, 18195), 4829),
    "epfl-hyp": ((46129, 167835, 186467), (28124, 74253, 195959), 89248),
    "hpo-term-gene": ((131, 147, 5089), (37, 168, 184), 17),
    "ISPD98_ibm09": ((1181, 3341, 53127), (268, 1449, 3609), 2152),
    "lp-fast0507": ((496, 505, 506), (62503, 62999, 63008), 11),
    "lp-msc98-ip": ((4049, 4893, 8963), (12180, 16229, 17073), 813),
    "lp-mzzv11": ((5876, 6376, 7821), (2419, 8295, 8795), 356),
    "lp-stocfor3": ((0, 2261, 15695), (0, 0, 2261), 2262),
    "luxembourg_osm": ((19280, 94283, 113563), (1036, 20316, 95319), 61423),
    "musae-crocodile": ((2094, 3549, 5643), (5988, 8082, 9537), 731),
    "npm-dependencies": ((10036, 38988, 63306), (193769, 203805, 232757), 28529),
    "road-seattle": ((14540, 131735, 146275), (2188, 16728, 133923), 68887),
    "threads-math-sx": ((1708, 100258, 174712), (1733, 3441, 101991), 98550),
}

MADE = {
    "random, square": ((541, 1801, 2611), (389, 930, 2190), 1261),
    "random, denser": ((2652, 2918, 2930), (70, 2722, 2988), 268),
    "random, wide": ((1179, 1779, 1809), (1191, 2370, 2970), 602),
    "random, tall": ((89, 599, 1789), (211, 300, 810), 512),
    "rmat": ((456, 935, 1395), (2701, 3157, 3636), 481),
    "rmat, paper": ((171, 715, 1655), (393, 564, 1108), 544),
    "hidden perfect": ((0, 2000, 2000), (0, 0, 2000), 1939),
    "grid, permuted": ((0, 1200, 1200), (0, 0, 1200), 1),
    "chain, permuted": ((0, 2000, 2000), (0, 0, 2000), 2000),
    "layered": ((0, 46, 46), (0, 0, 46), 46),
    "Jacobian, permuted": ((0, 2000, 2000), (0, 0, 2000), 1056),
    "no entries": ((0, 0, 0), (3, 3, 3), 2),
}

Expected = tuple[tuple[int, int, int], tuple[int, int, int], int]


def by_berge(graph: berge.BipartiteGraph) -> Expected:
    found = berge.dmperm(graph)
    assert (found.rr[0], found.rr[4]) == (0, graph.n_rows)
    assert (found.cc[0], found.cc[4]) == (0, graph.n_cols)
    assert found.rr[3] == berge.structural_rank(graph)
    assert found.r.size == found.s.size
    return tuple(found.rr[1:4].tolist()), tuple(found.cc[1:4].tolist()), found.r.size - 1


def by_csparse(graph: berge.BipartiteGraph, seed: int = 0) -> Expected:
    if not csparse.available():
        pytest.skip("libcxsparse is not installed")
    found = csparse.dmperm(graph, seed)
    assert (found.rr[0], found.rr[4]) == (0, graph.n_rows)
    assert (found.cc[0], found.cc[4]) == (0, graph.n_cols)
    return found.rr[1:4], found.cc[1:4], found.nb


def real(name: str) -> berge.BipartiteGraph:
    path = DATA / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"{name} is not there: set BERGE_DATA to the folder of real graphs")
    return berge.read(path)


@pytest.mark.skipif(not COMPILED, reason="too slow without the compiler")
@pytest.mark.parametrize("name", MADE)
def test_generated_graphs_as_recorded(name):
    assert by_berge(GENERATED[name]()) == MADE[name]


@pytest.mark.parametrize("name", MADE)
def test_generated_graphs_asking_csparse(name):
    graph = GENERATED[name]()
    for seed in (0, -1, 1):
        assert by_csparse(graph, seed) == MADE[name]


@pytest.mark.data
@pytest.mark.skipif(not COMPILED, reason="too slow without the compiler")
@pytest.mark.parametrize("name", REAL)
def test_real_graphs_as_recorded(name):
    assert by_berge(real(name)) == REAL[name]


@pytest.mark.data
@pytest.mark.parametrize("name", REAL)
def test_real_graphs_asking_csparse(name):
    assert by_csparse(real(name)) == REAL[name]


def test_small_graphs_asking_csparse():
    rng = np.random.default_rng(0)
    for _ in range(200 if COMPILED else 40):
        shape = rng.integers(0, 9, 2)
        graph = berge.as_bipartite(rng.random(shape) < rng.choice([0.1, 0.3, 0.6]))
        assert by_csparse(graph) == by_berge(graph)


if __name__ == "__main__":
    for table, graphs in (
        ("REAL", {name: lambda name=name: real(name) for name in REAL}),
        ("MADE", GENERATED),
    ):
        print(f"{table} = {{")
        for name, make in graphs.items():
            rr, cc, nb = by_csparse(make())
            print(f'    "{name}": ({tuple(rr)}, {tuple(cc)}, {nb}),')
        print("}")
