"""Seconds that scipy's maximum_bipartite_matching takes per level of `berge.generate.layered`.

Stops at the first level that takes longer than the limit. With scipy 1.17.1 the time doubles with
each level (scipy issue 26147).

    python lab/benchmarks/scipy_layered.py [--limit SECONDS] [--first LEVELS] [--last LEVELS]
"""

from __future__ import annotations

import argparse
from functools import partial

import scipy
from scipy.sparse.csgraph import maximum_bipartite_matching

from berge.generate import layered
from berge_lab.bench.loop import in_turns


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--limit", type=float, default=2.0, help="stop after a longer run")
    parser.add_argument("--first", type=int, default=12, help="first number of levels")
    parser.add_argument("--last", type=int, default=40, help="last number of levels")
    options = parser.parse_args()

    print(f"scipy {scipy.__version__}")
    print("levels     size  nonzeros    seconds  growth")
    before = 0.0
    for levels in range(options.first, options.last + 1):
        graph = layered(levels)
        matrix = graph.to_scipy()
        solve = partial(maximum_bipartite_matching, matrix)
        found = in_turns({"": solve}, 1, warm_up=False)[""]
        seconds = found.best
        assert (found.told >= 0).sum() == graph.n_rows
        growth = f"{seconds / before:7.2f}" if before else ""
        print(f"{levels:6} {graph.n_rows:4}^2  {graph.nnz:8} {seconds:10.6f} {growth}", flush=True)
        if seconds > options.limit:
            break
        before = seconds


if __name__ == "__main__":
    main()
