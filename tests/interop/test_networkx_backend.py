"""backend="berge" against networkx itself."""

from __future__ import annotations

import inspect
import os
import pickle
import random
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

nx = pytest.importorskip("networkx")

from networkx.utils.backends import _registered_algorithms as registered  # noqa: E402

from berge import InvalidGraphError  # noqa: E402
from berge.interop.nx_backend import functions  # noqa: E402
from berge.interop.nx_backend.graph import BergeGraph  # noqa: E402
from berge.interop.nx_backend.info import get_info  # noqa: E402
from berge.interop.nx_backend.interface import backend_interface as interface  # noqa: E402

bipartite = nx.algorithms.bipartite

LABELS = {
    "integers": lambda i: i,
    "strings": str,
    "tuples": lambda i: (i % 3, str(i)),
    "mixed": lambda i: [i, str(i), (i,), frozenset({i}), i + 0.5, bytes([i])][i % 6],
    "numpy": np.int64,
    "large": lambda i: 10**30 + i,
    "spread": lambda i: 1000 * i,
    "negative": lambda i: i - 7,
}
# What the dispatch calls the functions -> where users find them.
USERS = {
    "hopcroft_karp_matching": bipartite.hopcroft_karp_matching,
    "eppstein_matching": bipartite.eppstein_matching,
    "to_vertex_cover": bipartite.to_vertex_cover,
    "maximal_matching": nx.maximal_matching,
    "is_matching": nx.is_matching,
    "is_maximal_matching": nx.is_maximal_matching,
    "is_perfect_matching": nx.is_perfect_matching,
    "max_weight_matching": nx.max_weight_matching,
    "min_weight_matching": nx.min_weight_matching,
    "min_edge_cover": nx.min_edge_cover,
    "bipartite_min_edge_cover": bipartite.min_edge_cover,
    "minimum_weight_full_matching": bipartite.minimum_weight_full_matching,
}


@pytest.fixture(autouse=True)
def _no_cache():
    """Convert anew in every call, so that no call warns of the graph it finds converted."""
    with nx.config(cache_converted_graphs=False):
        yield


def bipartite_graph(seed, label=LABELS["integers"], kind=nx.Graph, connected=False):
    """Return a random bipartite graph and its top nodes; nodes are added in random order."""
    rng = random.Random(seed)
    tops, bottoms = rng.randrange(1, 12), rng.randrange(1, 12)
    nodes = [label(i) for i in range(tops + bottoms)]
    edges = [
        (nodes[i], nodes[tops + j])
        for i in range(tops)
        for j in range(bottoms)
        if rng.random() < 0.2 or (connected and (i == 0 or j == 0))
    ]
    graph = kind()
    graph.add_nodes_from(rng.sample(nodes, len(nodes)))
    graph.add_edges_from(edge[:: rng.choice([1, -1])] for edge in rng.sample(edges, len(edges)))
    return graph, nodes[:tops]


def check_maximum(graph, top, matches):
    """Check that it is a matching in both directions, and as large as networkx's."""
    assert all(matches[v] == u and graph.has_edge(u, v) for u, v in matches.items())
    expected = bipartite.hopcroft_karp_matching(graph, top, backend="networkx")
    assert len(matches) == len(expected)
    side = list(matches)[: len(matches) // 2]
    assert top is None or set(side) <= set(top)


KINDS = (
    nx.AmbiguousSolution,
    nx.NetworkXPointlessConcept,
    nx.NetworkXNotImplemented,
    KeyError,
    nx.NetworkXError,
    nx.NetworkXException,
    Exception,
)


def outcome(call):
    """Return what a call returns, or the kind of error it raises."""
    try:
        return call()
    except Exception as error:
        return next(kind for kind in KINDS if isinstance(error, kind))


def same(function, *args, **kwargs):
    """Check that both backends return or raise the same, and return that."""
    mine = outcome(lambda: function(*args, backend="berge", **kwargs))
    assert mine == outcome(lambda: function(*args, backend="networkx", **kwargs))
    return mine


# The face that networkx sees.


def test_info_interface_and_functions_name_the_same():
    assert set(get_info()["functions"]) == set(functions.__all__) == set(USERS)
    for name, user in USERS.items():
        assert getattr(interface, name) is getattr(functions, name)
        assert name in registered, f"{name} is not dispatchable"
        assert "berge : Matchings in graphs" in user.__doc__
    assert bipartite.maximum_matching is bipartite.hopcroft_karp_matching


@pytest.mark.parametrize("name", functions.__all__)
def test_signatures_are_those_of_networkx(name):
    def parameters(function):
        return [
            (p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()
        ]

    theirs = [p for p in parameters(USERS[name]) if p[0] not in ("backend", "backend_kwargs")]
    assert parameters(getattr(functions, name)) == theirs


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("info", {"numpy", "scipy", "numba", "networkx"}),
        ("interface", {"numba"}),  # loaded before networkx knows whether berge should run
    ],
)
def test_imports_are_light(module, heavy):
    code = (
        f"import sys, berge.interop.nx_backend.{module} as module\n"
        "getattr(module, 'get_info', dict)()\n"
        f"assert not {heavy} & set(sys.modules), {heavy} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_networkx_finds_the_backend_when_imported():
    code = (
        "import sys, networkx as nx\n"
        "assert 'berge' in nx.config.backends and 'numpy' not in sys.modules\n"
        "G = nx.complete_bipartite_graph(2, 3)\n"
        "assert len(nx.bipartite.maximum_matching(G, backend='berge')) == 4"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# Each function against networkx's.


@pytest.mark.kernels
@pytest.mark.parametrize("algorithm", ["hopcroft_karp_matching", "eppstein_matching"])
@pytest.mark.parametrize("labels", LABELS)
def test_maximum_matching(algorithm, labels):
    find = getattr(bipartite, algorithm)
    for seed in range(12):
        graph, top = bipartite_graph(seed, LABELS[labels])
        check_maximum(graph, top, find(graph, top, backend="berge"))
        check_maximum(graph, top, find(graph, iter(top), backend="berge"))
        graph, _ = bipartite_graph(seed, LABELS[labels], connected=True)
        check_maximum(graph, None, find(graph, backend="berge"))


def test_maximum_matching_of_a_larger_graph():
    """From some size on the default algorithm runs."""
    graph = bipartite.random_graph(3000, 3000, 0.001, seed=1)
    check_maximum(
        graph, range(3000), bipartite.maximum_matching(graph, range(3000), backend="berge")
    )


@pytest.mark.kernels
def test_to_vertex_cover():
    for seed in range(40):
        graph, top = bipartite_graph(seed)
        matching = bipartite.maximum_matching(graph, top, backend="networkx")
        cover = same(bipartite.to_vertex_cover, graph, matching, top)
        assert len(cover) == len(matching) // 2
        one_way = {u: v for u, v in matching.items() if u in top}
        assert same(bipartite.to_vertex_cover, graph, one_way, top) == cover
        graph, _ = bipartite_graph(seed, connected=True)
        same(bipartite.to_vertex_cover, graph, bipartite.maximum_matching(graph))


@pytest.mark.parametrize(
    "matching",
    [{}, {0: 3}, {0: 3, 3: 1}, {0: 1}, {0: "?"}, {0: 4, 1: 4}, {0: 5, 1: 3, 2: 4}],
    ids=["empty", "too small", "one-sided", "same side", "unknown", "shared node", "no edge"],
)
def test_to_vertex_cover_checks_the_matching(matching):
    graph = nx.Graph([(0, 3), (0, 4), (1, 3), (1, 4), (2, 5)])
    with pytest.raises(nx.NetworkXError, match="not a maximum matching"):
        bipartite.to_vertex_cover(graph, matching, [0, 1, 2], backend="berge")


def test_to_vertex_cover_of_a_matching_larger_than_a_side():
    with pytest.raises(nx.NetworkXError, match="not a maximum matching"):
        bipartite.to_vertex_cover(nx.star_graph(2), {1: 0, 2: 0}, [1, 2], backend="berge")


@pytest.mark.kernels
@pytest.mark.parametrize("labels", LABELS)
def test_maximal_matching_takes_the_same_edges(labels):
    for seed in range(20):
        graph = nx.gnp_random_graph(18, 0.15, seed=seed)
        graph.add_edges_from((i, i) for i in range(0, 18, 5))
        graph = nx.relabel_nodes(graph, LABELS[labels])
        assert isinstance(same(nx.maximal_matching, graph), set)


@pytest.mark.kernels
@pytest.mark.parametrize("name", ["is_matching", "is_maximal_matching", "is_perfect_matching"])
def test_checks_of_matchings(name):
    check, rng, seen = USERS[name], random.Random(0), Counter()
    for seed in range(150):
        graph = nx.gnp_random_graph(6, 0.6, seed=seed)
        graph.add_edge(0, 0)
        edges = list(nx.maximal_matching(graph) if rng.random() < 0.6 else graph.edges)
        if rng.random() < 0.4:
            edges = rng.sample(edges, min(rng.randrange(4), len(edges)))
        if rng.random() < 0.2:
            edges.append(rng.choice([(0, 5), (2, 2), (0, 99), (0, 1, 2), (1,)]))
        # A list, so that both backends see one order.
        seen[same(check, graph, edges)] += 1
        if all(len(edge) == 2 for edge in edges):
            both = {u: v for edge in edges for u, v in (edge, edge[::-1])}
            seen[same(check, graph, both)] += 1
    assert seen[True] > 5
    assert seen[False] > 20
    assert seen[nx.NetworkXError] > 5


def test_unhashable_nodes_are_not_in_the_graph():
    assert [] not in BergeGraph.from_networkx(nx.path_graph(2))
    with pytest.raises(nx.NetworkXError, match="node not in G"):
        nx.is_matching(nx.path_graph(2), [([], 1)], backend="berge")


@pytest.mark.kernels
def test_edge_covers():
    for seed in range(30):
        graph, _ = bipartite_graph(seed, LABELS["tuples"])
        graph.remove_nodes_from(list(nx.isolates(graph)))
        cover = nx.min_edge_cover(graph, backend="berge")
        assert len(cover) == len(nx.min_edge_cover(graph, backend="networkx"))
        assert nx.is_edge_cover(graph, cover)
        assert all(graph.has_edge(u, v) and (v, u) not in cover for u, v in cover)
        graph.add_edges_from(nx.cycle_graph(5).edges)
        cover = nx.min_edge_cover(graph, backend="berge")
        assert len(cover) == len(nx.min_edge_cover(graph, backend="networkx"))
        assert nx.is_edge_cover(graph, cover)

        graph, _ = bipartite_graph(seed, connected=True)
        cover = bipartite.min_edge_cover(graph, backend="berge")
        assert len(cover) == len(bipartite.min_edge_cover(graph, backend="networkx"))
        assert nx.is_edge_cover(graph, cover)
        assert all(graph.has_edge(u, v) and (v, u) in cover for u, v in cover)


# Corners, and the errors that networkx raises there.


@pytest.mark.kernels
def test_same_errors():
    """Whatever networkx raises, berge raises too."""
    triangle, two_edges = nx.complete_graph(3), nx.Graph([(0, 1), (2, 3)])
    loop = nx.Graph([(0, 1), (1, 1)])
    isolated = nx.path_graph(2)
    isolated.add_node(2)
    empty = nx.Graph()
    for find in (bipartite.maximum_matching, bipartite.eppstein_matching):
        assert same(find, triangle) is nx.NetworkXError
        assert same(find, loop) is nx.NetworkXError
        assert same(find, two_edges) is nx.AmbiguousSolution
        assert same(find, nx.disjoint_union(triangle, triangle)) is nx.AmbiguousSolution
        assert same(find, isolated) is nx.AmbiguousSolution
        assert same(find, empty) is nx.NetworkXPointlessConcept
        assert same(find, empty, []) == {}
        assert same(find, nx.empty_graph(1)) == {}
        assert same(find, two_edges, [0, 2]) == {0: 1, 1: 0, 2: 3, 3: 2}
        # Edges beside the top nodes are not looked at.
        assert len(find(triangle, [0], backend="berge")) == 2
    assert same(bipartite.maximum_matching, triangle, [0, 1]) is KeyError
    assert same(bipartite.maximum_matching, loop, [1]) is KeyError
    assert same(bipartite.maximum_matching, two_edges, [0, "?"]) is KeyError
    assert same(bipartite.eppstein_matching, two_edges, [0, "?"]) == {0: 1, 1: 0}
    assert same(bipartite.to_vertex_cover, empty, {}) is nx.NetworkXPointlessConcept
    assert same(bipartite.to_vertex_cover, triangle, {}) is nx.NetworkXError
    assert same(bipartite.to_vertex_cover, two_edges, {}) is nx.AmbiguousSolution
    assert same(bipartite.to_vertex_cover, nx.empty_graph(3), {}, [0]) == set()
    assert same(nx.maximal_matching, empty) == set()
    assert same(nx.is_perfect_matching, empty, set()) is True
    assert same(nx.is_matching, nx.star_graph(3), [(0, 1), (2, 3)]) is False
    assert same(nx.is_matching, nx.star_graph(3), [(2, 3), "a path"]) is False
    for cover in (nx.min_edge_cover, bipartite.min_edge_cover):
        assert same(cover, empty) == set()
        assert same(cover, isolated) is nx.NetworkXException
    assert same(bipartite.min_edge_cover, two_edges) is nx.AmbiguousSolution
    assert same(bipartite.min_edge_cover, triangle) is nx.NetworkXError


def test_errors_name_the_edge():
    with pytest.raises(nx.NetworkXError, match=r"both ends of the edge \('a', 'b'\)"):
        bipartite.maximum_matching(nx.Graph([("a", "b")]), ["a", "b"], backend="berge")
    with pytest.raises(nx.NetworkXError, match="outside top_nodes"):
        bipartite.to_vertex_cover(nx.path_graph(3), {}, [0], backend="berge")


@pytest.mark.kernels
def test_multigraphs_and_directed_graphs():
    for seed in range(10):
        graph, top = bipartite_graph(seed, kind=nx.MultiGraph)
        graph.add_edges_from(list(graph.edges()))
        check_maximum(graph, top, bipartite.maximum_matching(graph, top, backend="berge"))
        matching = bipartite.maximum_matching(graph, top)
        same(bipartite.to_vertex_cover, graph, matching, top)
        same(nx.is_matching, graph, matching)
    pair = nx.path_graph(2)
    for kind in (nx.MultiGraph, nx.DiGraph, nx.MultiDiGraph):
        for function in (nx.maximal_matching, nx.min_edge_cover, bipartite.min_edge_cover):
            assert same(function, kind(pair)) is nx.NetworkXNotImplemented
    with pytest.raises(
        NotImplementedError, match="not implemented by 'berge' backend for the given"
    ):
        bipartite.maximum_matching(nx.DiGraph(pair), backend="berge")
    with pytest.raises(NotImplementedError, match="undirected"):
        BergeGraph.from_networkx(nx.DiGraph(pair))


def test_labels_that_equal_integers():
    """An edge may be added with other objects than the nodes, as long as they are equal."""
    for twin in (1.0, True, Fraction(1), 1 + 0j):
        graph = nx.Graph([(0, 1)])
        graph.add_edge(twin, 2)
        assert BergeGraph.from_networkx(graph).indices.tolist() == [1, 0, 2, 1]
        assert len(bipartite.maximum_matching(graph, backend="berge")) == 2


def test_subgraph_views():
    view = nx.path_graph(9).subgraph(range(2, 8))
    assert len(bipartite.maximum_matching(view, backend="berge")) == 6


@pytest.mark.parametrize("links", [10_000, 100_000])
def test_long_chains(links):
    """Every top node takes the neighbour of the next; then one path mends them all.

    networkx recurses along that path.
    """
    graph = nx.Graph()
    for i in range(links):
        graph.add_edges_from((i, ("bottom", j)) for j in (i + 1, i) if j < links)
    for find in (bipartite.maximum_matching, bipartite.eppstein_matching):
        matches = find(graph, range(links), backend="berge")
        assert matches == {u: ("bottom", u) for u in range(links)} | {
            ("bottom", u): u for u in range(links)
        }
    assert len(bipartite.maximum_matching(nx.path_graph(links), backend="berge")) == links


def test_interrupt_is_passed_on(monkeypatch):
    stopped = SimpleNamespace(stats=SimpleNamespace(stopped="interrupted"))
    monkeypatch.setattr(functions, "maximum_matching", lambda graph, **options: stopped)
    with pytest.raises(KeyboardInterrupt):
        bipartite.maximum_matching(nx.path_graph(4), backend="berge")


# Dispatch: who runs, and when.


def runs(caplog, call, *args, **kwargs):
    """Return the result of a call and which of berge's functions ran."""
    caplog.clear()
    with caplog.at_level("DEBUG", logger="networkx.utils.backends"):
        result = call(*args, **kwargs)
    return result, re.findall(r"Using backend 'berge' for call to '(\w+)'", caplog.text)


def test_priority_uses_berge_where_it_pays(caplog):
    large, small = nx.path_graph(1000), nx.path_graph(10)
    assert runs(caplog, bipartite.maximum_matching, large)[1] == []
    with nx.config(backend_priority=["berge"]):
        assert runs(caplog, bipartite.maximum_matching, G=large)[1] == ["hopcroft_karp_matching"]
        assert runs(caplog, bipartite.maximum_matching, small)[1] == []
        assert runs(caplog, nx.maximal_matching, large)[1] == []
        assert (
            runs(caplog, bipartite.maximum_matching, nx.DiGraph(large), range(0, 1000, 2))[1] == []
        )
        assert runs(caplog, nx.min_edge_cover, large)[1] == ["min_edge_cover"]
        cover, ran = runs(caplog, nx.min_edge_cover, nx.cycle_graph(51))
        assert ran == ["min_edge_cover"]
        assert len(cover) == 26
        # networkx's function calls the one of berge.
        cover, ran = runs(caplog, nx.min_edge_cover, large, bipartite.maximum_matching)
        assert ran == ["hopcroft_karp_matching"]
        assert len(cover) == 1000
    with pytest.raises(NotImplementedError):
        nx.min_edge_cover(large, bipartite.maximum_matching, backend="berge")


def test_a_converted_graph_is_kept_and_used(caplog):
    graph = nx.path_graph(10)
    with nx.config(
        cache_converted_graphs=True, warnings_to_ignore={"cache"}, backend_priority=["berge"]
    ):
        matches = bipartite.maximum_matching(graph, backend="berge")
        assert runs(caplog, nx.is_matching, graph, matches) == (True, ["is_matching"])
        graph.add_edge(8, 10)
        assert runs(caplog, nx.is_matching, graph, matches) == (True, [])


def test_graphs_of_berge_need_no_conversion(caplog):
    graph = BergeGraph.from_networkx(nx.path_graph(["a", "b", "c", "d"]))
    matches, ran = runs(caplog, bipartite.maximum_matching, graph)
    assert matches == {"a": "b", "b": "a", "c": "d", "d": "c"}
    assert ran == ["hopcroft_karp_matching"]
    with pytest.raises(NotImplementedError):
        nx.is_connected(graph)
    with nx.config(fallback_to_nx=True):
        assert nx.is_connected(graph)


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph])
def test_graph_keeps_its_order_both_ways(kind):
    graph = kind(nx.gnp_random_graph(20, 0.3, seed=4))
    graph.add_edge(3, 3)
    graph = nx.relabel_nodes(graph, LABELS["mixed"])
    held = interface.convert_from_nx(graph, preserve_node_attrs=True)
    back = interface.convert_to_nx(held)
    assert type(back) is kind
    assert list(held) == list(back) == list(graph)
    assert [list(back[v]) for v in back] == [list(graph[v]) for v in graph]
    assert nx.utils.graphs_equal(back, graph)
    assert held.number_of_nodes() == len(held) == len(graph)
    assert held.number_of_edges() == graph.number_of_edges() == back.number_of_edges()
    assert held.is_multigraph() is graph.is_multigraph()
    assert held.is_directed() is False
    assert "edges)" in repr(held)
    assert interface.convert_to_nx({1: 2}) == {1: 2}


def test_the_tests_of_networkx_pass(tmp_path):
    """networkx runs its own tests with every graph converted, and its log says who ran."""
    log = tmp_path / "log"
    suites = [
        "networkx.algorithms.bipartite",
        "networkx.algorithms.tests.test_matching",
        "networkx.algorithms.tests.test_covering",
    ]
    environment = os.environ | {"NETWORKX_TEST_BACKEND": "berge", "NETWORKX_FALLBACK_TO_NX": "True"}
    environment.pop("PYTEST_ADDOPTS", None)
    # In a folder of its own: the warnings of their tests are not errors of ours.
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
         f"--log-file={log}", "--log-file-level=DEBUG", "--pyargs", *suites],
        cwd=tmp_path, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    text = log.read_text()
    ran = Counter(re.findall(r"Using backend 'berge' for call to '(\w+)'", text))
    ran -= Counter(re.findall(r"Backend 'berge' raised when calling '(\w+)'", text))
    print(f"{done.stdout.splitlines()[-1]}; calls of berge: {dict(ran)}")
    assert set(ran) == set(functions.__all__)
    assert ran.total() >= 100


@pytest.mark.parametrize("labels", [lambda v: v, lambda v: f"v{v}", lambda v: (v, 0)])
@pytest.mark.parametrize("maximum", [False, True])
def test_matching_by_weight(maximum, labels):
    for seed in range(12):
        rng = random.Random(seed)
        graph = nx.relabel_nodes(nx.gnm_random_graph(12, 20 + seed, seed=seed), labels)
        graph.add_node("alone")
        graph.add_edge("alone", "alone", weight=1000)  # a self-loop counts for nothing
        for *_, data in graph.edges(data=True):
            if rng.random() < 0.9:  # others weigh 1
                data["weight"] = rng.choice([rng.randint(-5, 20), rng.random()])

        def weight(matching, graph=graph):
            assert nx.is_matching(graph, matching, backend="networkx")
            return sum(graph[u][v].get("weight", 1) for u, v in matching)

        heaviest = partial(nx.max_weight_matching, graph, maximum)
        for call in (heaviest, partial(nx.min_weight_matching, graph)):
            mine, theirs = call(backend="berge"), call(backend="networkx")
            assert weight(mine) == pytest.approx(weight(theirs))
            assert len(mine) == len(theirs) or call is heaviest
    assert len(nx.max_weight_matching(graph, True, None, backend="berge")) == len(theirs)


def test_matching_by_weight_of_odd_weights_and_graphs():
    graph = nx.Graph()
    graph.add_edge(0, 1, weight=Fraction(1, 3))
    with pytest.raises(NotImplementedError, match="raised NotImplementedError"):
        nx.max_weight_matching(graph, backend="berge")
    with pytest.raises(nx.NetworkXError, match="converted without 'weight'"):
        nx.max_weight_matching(BergeGraph.from_networkx(graph))
    assert nx.max_weight_matching(nx.Graph(), backend="berge") == set()
    lonely = nx.Graph()
    lonely.add_nodes_from("xab")  # the first one without an edge is no guess
    lonely.add_edge("a", "b", weight=2)
    assert nx.max_weight_matching(lonely, backend="berge") in ({("a", "b")}, {("b", "a")})
    huge = nx.Graph()
    huge.add_weighted_edges_from([(0, 1, 2**54), (1, 2, 2**54 + 1), (2, 0, 2**54 - 1)])
    assert nx.max_weight_matching(huge, backend="berge") in ({(1, 2)}, {(2, 1)})


def test_networkx_own_tests_of_matching():
    """networkx's tests of its matching functions, each call of which runs on berge."""
    environment = os.environ | {"NETWORKX_TEST_BACKEND": "berge", "NETWORKX_FALLBACK_TO_NX": "True"}
    module = "networkx.algorithms.tests.test_matching"
    command = [sys.executable, "-m", "pytest", "--pyargs", module, "-q", "-c", os.devnull]
    run = subprocess.run(
        [*command, "-p", "no:xdist", "-p", "no:cacheprovider"],
        env=environment, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-3000:]


def test_what_was_checked_stays_as_it_is():
    """Wild neighbours, or places of labels, were a crash."""
    graph = BergeGraph.from_networkx(nx.cycle_graph(5))
    with pytest.raises(ValueError, match="read-only"):
        graph.indices[0] = 2**30
    for name in ("indptr", "indices", "labels", "weights", "index"):
        with pytest.raises(AttributeError):
            setattr(graph, name, [])
    with pytest.raises(TypeError):
        graph.index[0] = 2**30
    with pytest.raises(TypeError):
        graph.weights["weight"] = []
    wild = np.array([2**30] * 4, np.int32)
    for indptr, indices in (([0, 2, 4], wild), ([0, 2**30, 2**31], wild), ([0, 4], wild % 2)):
        with pytest.raises(InvalidGraphError):
            BergeGraph(np.array(indptr), indices, ["a", "b"])
    with pytest.raises(TypeError, match="no subclasses"):
        type("Other", (BergeGraph,), {"indices": wild})
    again = pickle.loads(pickle.dumps(BergeGraph.from_networkx(nx.cycle_graph(5), {"weight": 1})))
    assert (again.labels, again.weights) == (graph.labels, {"weight": [1] * 10})
