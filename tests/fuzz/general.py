"""Small random graphs by the million: maximum matchings of any graph against a search of all.

python -m tests.fuzz.general [--seconds 600] [--keep]

Every graph is solved by one of the algorithms from one of the starts, or by the default. The size
must be that of a table over all sets of vertices, the proof must pass the checker in numpy, and now
and then so must one that is found apart. `--keep` adds the counts to trust/tried.json, and goes on
from the seed that is there. Prints what was tried; ends with an error at the first graph that is
wrong.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import berge
from berge.compile import kernel
from berge.results.tutte_berge import find_barrier, verify_general

from . import tally
from .supervise import Outcome

MOST = 11  # vertices: the table has an entry for each of their sets
NAME, BLOCK = "general-small", 1000
ALGORITHMS = [a.name for a in berge.algorithms("general")]
STARTS = ["none", *(a.name for a in berge.algorithms("general-start"))]


@kernel
def largest(indptr: Any, indices: Any, table: Any) -> int:
    """Return the size of a maximum matching: the best of all sets, by their last vertex."""
    n = indptr.size - 1
    table[0] = 0
    last = 0
    for chosen in range(1, 1 << n):
        while chosen >> (last + 1):
            last += 1
        rest = chosen & ~(1 << last)
        best = table[rest]
        for k in range(indptr[last], indptr[last + 1]):
            w = indices[k]
            if rest >> w & 1 and table[rest & ~(1 << w)] + 1 > best:
                best = table[rest & ~(1 << w)] + 1
        table[chosen] = best
    return int(table[(1 << n) - 1])


def try_seed(seed: int, graphs: int, table: Any) -> None:
    """Try so many graphs drawn from a seed; raise AssertionError or ProofError if one is wrong."""
    rng = np.random.default_rng(seed)
    for number in range(graphs):
        n = int(rng.integers(1, MOST + 1))
        m = int(rng.integers(0, 2 * n + 1))
        graph = berge.Graph.from_edges(*rng.integers(0, n, (2, m)), n)
        algorithm, init = ALGORITHMS[number % 2], STARTS[number % 3]
        if number % 4 == 3:
            algorithm = init = "auto"
        matching = berge.maximum_matching(graph, algorithm=algorithm, init=init)
        expected = largest(graph.indptr, graph.indices, table)
        assert matching.cardinality == expected, (seed, number, algorithm, init)
        if matching._proof is None:  # the bipartite default has none yet
            matching.prove(graph, check="numpy")
        else:
            verify_general(graph, matching, matching._proof, "numpy")
        if number % 10 == 0:
            verify_general(graph, matching, find_barrier(graph, matching.mate))


def main() -> None:
    """Try graphs for as long as asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--keep", action="store_true")
    given = parser.parse_args()
    seed = begin = tally.first(NAME) // BLOCK if given.keep else 0
    table, end = np.zeros(1 << MOST, np.int8), time.monotonic() + given.seconds
    while time.monotonic() < end:
        try_seed(seed, BLOCK, table)
        seed += 1
    tried = (seed - begin) * BLOCK
    if given.keep:
        tally.add(NAME, Outcome(next=seed * BLOCK, tried=tried, accepted=tried), "proved")
    print(f"{tried:,} graphs, none wrong; next seed {seed}")


if __name__ == "__main__":
    main()
