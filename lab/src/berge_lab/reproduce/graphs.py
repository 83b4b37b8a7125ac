"""The graphs of the suites: generated ones of the papers' classes, and real ones from a folder.

Sets that experiments name:

- ``base``: in the order they come, in the three classes of the tree-grafting paper. They are split
  by the start that leaves something to do: ``by cheap`` has the generated ones that Karp–Sipser
  solves, ``by karp-sipser`` the others;
- ``permuted``: the same, and again with rows and columns in random order, as the APFB paper has
  them;
- ``general``: square and symmetric ones, for the greedy paper; ``weighted``: these, and those that
  have weights of their own;
- ``mesh`` and ``random``: one of each of these, for its figure 3.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from berge.errors import OptionError

from ..bench.suite import GraphSource, Suite, generated
from .published import TABLE_I, TREE_NAMES, TREE_TABLE_II

__all__ = ["CLASSES", "SUITES", "class_of", "graph_sets", "suite_of"]

# class → what stands for it: a mesh's order decides what a start leaves to do, so some are permuted
CLASSES = {
    "scientific": "scientific computing and random instances",
    "scale-free": "scale-free graphs",
    "networks": "road and web networks",
}

_Spec = dict[str, Any]
# class, kind of graph, and its parameters in the suites quick, standard, full
_KINDS: tuple[tuple[str, str, tuple[_Spec, _Spec, _Spec]], ...] = (
    ("scientific", "delaunay", ({"n": 8_000}, {"n": 60_000}, {"n": 1_000_000})),
    ("scientific", "mesh3", ({"n": 10_000}, {"n": 100_000}, {"n": 1_000_000})),
    ("scientific", "erdos-renyi", (
        {"name": "random-3-10k", "n_rows": 10_000, "n_cols": 10_000, "n_edges": 30_000},
        {"name": "random-3-80k", "n_rows": 80_000, "n_cols": 80_000, "n_edges": 240_000},
        {"name": "random-3-1M", "n_rows": 10**6, "n_cols": 10**6, "n_edges": 3 * 10**6})),
    ("scale-free", "rmat", (
        {"name": "rmat-paper-12", "scale": 12, "edges_per_vertex": 32, "probabilities": "paper"},
        {"name": "rmat-paper-14", "scale": 14, "edges_per_vertex": 32, "probabilities": "paper"},
        {"name": "rmat-paper-20", "scale": 20, "edges_per_vertex": 32, "probabilities": "paper"})),
    ("scale-free", "power-law", (
        {"name": "social-10k", "n_rows": 10_000, "n_cols": 10_000, "average_degree": 12},
        {"name": "social-30k", "n_rows": 30_000, "n_cols": 30_000, "average_degree": 12},
        {"name": "social-1M", "n_rows": 10**6, "n_cols": 10**6, "average_degree": 12})),
    ("networks", "road", (
        {"width": 80, "height": 80}, {"width": 220, "height": 220},
        {"width": 1000, "height": 1000})),
    ("networks", "rmat", (
        {"name": "web-rmat-13", "scale": 13, "edges_per_vertex": 6},
        {"name": "web-rmat-16", "scale": 16, "edges_per_vertex": 6},
        {"name": "web-rmat-20", "scale": 20, "edges_per_vertex": 8})),
    ("networks", "power-law", (
        {"name": "web-power-law-12k", "n_rows": 12_000, "n_cols": 10_000, "average_degree": 5,
         "exponent": 2.2},
        {"name": "web-power-law-120k", "n_rows": 120_000, "n_cols": 100_000, "average_degree": 5,
         "exponent": 2.2},
        {"name": "web-power-law-1M", "n_rows": 1_200_000, "n_cols": 10**6, "average_degree": 5,
         "exponent": 2.2})),
)  # fmt: skip
_BY_CHEAP = ("rmat", "power-law")  # Karp–Sipser solves them, or nearly
_PERMUTED_ONLY = ("delaunay", "mesh3")  # as they come the cheap start leaves next to nothing
_GENERAL: tuple[tuple[str, tuple[_Spec, _Spec, _Spec]], ...] = (
    ("grid", ({"width": 100, "height": 100}, {"width": 400, "height": 400},
              {"width": 1000, "height": 1000})),
    ("delaunay", ({"n": 8_000}, {"n": 60_000}, {"n": 1_000_000})),
    ("road", ({"width": 80, "height": 80}, {"width": 220, "height": 220},
              {"width": 1000, "height": 1000})),
    ("mesh3", ({"n": 10_000}, {"n": 100_000}, {"n": 1_000_000})),
    ("geometric", ({"n": 5_000}, {"n": 40_000}, {"n": 400_000})),
)  # fmt: skip
_RANDOM = {"n_rows": 20_000, "n_edges": 320_000}, {"n_rows": 200_000, "n_edges": 3_200_000}

# Real graphs by class, taken where the folder has them.
_REAL = {
    "scientific": ("wave", "bayer10", "delaunay_n16", "ak2010", "rgg_n_2_15_s0", "mdual"),
    "scale-free": ("cit-HepPh", "soc-Slashdot0902", "ego-Twitter", "cond-mat-2005",
                   "email-Enron"),
    "networks": ("cnr-2000", "npm-dependencies", "NotreDame_actors", "road-seattle",
                 "luxembourg_osm", "rhein-neckar_osm"),
}  # fmt: skip
_REAL_GENERAL = ("ecology1", "delaunay-geonames", "wave", "road-moscow", "dragon-dual")
_WITH_WEIGHTS = ("delaunay-geonames", "road-moscow", "road-seattle", "ak2010", "cond-mat-2005")
_SUFFIXES = (".npz", ".mtx", ".mtx.gz")

# repeats, seconds and GB of a single run
SUITES = {"quick": (3, 30.0, 4.0), "standard": (5, 60.0, 8.0), "full": (3, 600.0, 24.0)}


def suite_of(name: str) -> Suite:
    """Return a suite's name and limits; its graphs and settings come from the experiments."""
    if name not in SUITES:
        raise OptionError(f"suite {name!r} is not one of {', '.join(SUITES)}")
    repeats, seconds, memory = SUITES[name]
    return Suite(f"reproduce-{name}", "", (), (), repeats, seconds, memory)


@cache
def class_of(graph: str) -> str:
    """Return the class of a graph by its name, "other" if it is none of ours."""
    plain = graph.partition(" [")[0].removesuffix(" permuted")
    for kind, names in _REAL.items():
        if plain in names:
            return kind
    for kind, generator, specs in _KINDS:
        if plain in [_source(generator, spec).name for spec in specs]:
            return kind
    return "other"


def graph_sets(
    suite: str, data: Path | None = None, files: Sequence[str] = ()
) -> dict[str, list[GraphSource]]:
    """Return the graphs of each set: generated, those of the data folder, and files by name."""
    size = list(SUITES).index(suite)
    base: list[GraphSource] = []
    twins: list[GraphSource] = []
    for _, generator, specs in _KINDS:
        twins.append(_source(generator, specs[size] | {"permute": 1}))
        base.append(twins[-1] if generator in _PERMUTED_ONLY else _source(generator, specs[size]))
    originals = [_source(generator, specs[size]) for _, generator, specs in _KINDS]
    general = [_source(generator, specs[size]) for generator, specs in _GENERAL]
    weighted = list(general)
    random = _RANDOM[min(size, 1)]
    if data is not None:
        real = [g for names in _REAL.values() for g in _found(data, names)]
        base, originals = base + real, originals + real
        twins += [_permuted(source) for source in real]
        general += _found(data, _REAL_GENERAL)
        weighted = general + [_weighted(source) for source in _found(data, _WITH_WEIGHTS)]
    if data is not None or suite == "full":
        base += list(_named(data))
    for source in _files(files):
        base.append(source)
        originals.append(source)
        twins.append(_permuted(source))
    return {
        "base": _once(base),
        "by karp-sipser": [g for g in _once(base) if g.spec.get("generate") not in _BY_CHEAP],
        "by cheap": [g for g in _once(base) if g.spec.get("generate") in _BY_CHEAP],
        "permuted": _once(originals + twins),
        "general": _once(general),
        "weighted": _once(weighted),
        "mesh": general[:1],
        "random": [
            _source("erdos-renyi", {"name": f"random-{random['n_rows']}", **random,
                                    "n_cols": random["n_rows"]})
        ],
    }  # fmt: skip


def _source(generator: str, spec: _Spec) -> GraphSource:
    table = {"generate": generator, **spec}
    if "name" in table and "permute" in table:
        table["name"] += " permuted"
    return generated("graphs", table)


def _permuted(source: GraphSource) -> GraphSource:
    return GraphSource(f"{source.name} permuted", source.spec | {"permute": 1}, source.path)


def _weighted(source: GraphSource) -> GraphSource:
    return GraphSource(f"{source.name} with weights", source.spec | {"weights": True}, source.path)


def _found(folder: Path, names: Sequence[str]) -> list[GraphSource]:
    """Return those graphs that the folder has; the results do not tell where it is."""
    paths = ((name, folder / f"{name}{suffix}") for name in names for suffix in _SUFFIXES)
    return [GraphSource(name, {"file": path.name}, path) for name, path in paths if path.is_file()]


def _named(data: Path | None) -> Iterator[GraphSource]:
    """Yield the matrices of the papers' tables that the folder has, or `berge fetch` got."""
    from berge.files.suitesparse import cache_folder

    of_trees = [TREE_NAMES.get(row[1], row[1]) for row in TREE_TABLE_II]
    known = list(dict.fromkeys([*(row[0] for row in TABLE_I), *of_trees]))
    if data is not None:
        yield from _found(data, known)
    for name in known:
        for path in sorted((cache_folder() / "suitesparse").glob(f"*/{name}.mtx")):
            yield GraphSource(name, {"file": path.name}, path)


def _files(patterns: Sequence[str]) -> Iterator[GraphSource]:
    known: dict[str, GraphSource] = {}
    for pattern in patterns:
        paths = sorted(glob.glob(os.path.expanduser(pattern))) or [pattern]
        for path in paths:
            if not os.path.isfile(path):
                raise OptionError(f"there is no file {path}")
            name = os.path.basename(path)
            source = GraphSource(name.partition(".")[0], {"file": name}, Path(path))
            other = known.setdefault(source.name, source)
            if other.source["content"] != source.source["content"]:
                raise OptionError(f"{other.path} and {path} have the same name; rename one")
            yield other


def _once(sources: Sequence[GraphSource]) -> list[GraphSource]:
    return list({source.name: source for source in sources}.values())
