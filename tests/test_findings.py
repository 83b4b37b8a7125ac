"""What attacks have found so far, each as a script that says "held" where it does no harm any more.

    python -m tests.test_findings SRC [SRC …]     a table: what each does to these sources

The first review is that of commit 138caea, by its numbers; the second that of November 2026.
"""

from __future__ import annotations

import os
import subprocess
import sys
from textwrap import dedent

import pytest

from .conftest import COMPILED

START = """
import bz2, os, resource, sys, tempfile, threading, time, warnings
import numpy as np
import berge
from berge import BergeError, BipartiteGraph

warnings.simplefilter("ignore")
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
place = tempfile.TemporaryDirectory()

def peak():
    # Not ru_maxrss, in which the parent's memory counts.
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))

def put(name, data):
    path = os.path.join(place.name, name)
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    return path

def refused(call, *words):
    try:
        found = call()
    except BergeError as error:
        assert all(word in str(error) for word in words), error
    else:
        raise AssertionError(f"accepted: {found}")

def archive(name, **arrays):
    np.savez(os.path.join(place.name, name), **arrays)
    return os.path.join(place.name, name)

def changed(path, **arrays):
    with np.load(path) as file:
        np.savez(path, **dict(file) | arrays)
    return path

def own(n=200, edges=900):
    "A graph, and the arrays that it was made of."
    matrix = berge.generate.erdos_renyi(n, n, edges, seed=1).to_scipy()
    given = matrix.indptr.copy(), matrix.indices.copy()
    return BipartiteGraph(*given, matrix.shape), *given

HEAD = "%%MatrixMarket matrix "
LINE = bz2.compress(b" " * (1 << 24)) * 64  # a line of 1 GB
"""

CASES = {
    "1 weighted Matrix Market, 73 bytes": """
        path = put("s.mtx", HEAD + "coordinate complex hermitian\\n2 2 2\\n1 1 1 0\\n2 1 1 2r")
        refused(lambda: berge.as_graph(path, weights=True), "s.mtx")
    """,
    "2 a header of 10^12 entries": """
        path = put("s.mtx", HEAD + "array real general\\n1000000 1000000\\n1\\n")
        refused(lambda: berge.as_graph(path, weights=True), "s.mtx")
    """,
    "3 indices changed, then matched": """
        graph, _, indices = own()
        indices[5:] = 2**30
        graph.shape, berge.maximum_matching(graph).cardinality
        berge.maximum_matching(graph, algorithm="hopcroft-karp")
    """,
    "3 indices changed, then proved": """
        graph, _, indices = own()
        found = berge.maximum_matching(graph)
        indices[5:] = 2**30
        found.prove(graph)
    """,
    "3 indices changed, then decomposed": """
        graph, _, indices = own()
        indices[5:] = -(2**31)
        berge.dulmage_mendelsohn(graph)
    """,
    "3 indices of a general graph changed": """
        matrix = berge.as_graph(berge.generate.grid(30, 30)).to_scipy()
        indices = matrix.indices.copy()
        graph = berge.Graph(matrix.indptr.copy(), indices)
        indices[:] = 2**30
        berge.greedy_matching(graph)
    """,
    "3 a shape that is set": """
        graph, *_ = own()
        try:
            graph.shape = (10**7, 10**7)
        except AttributeError:
            pass
        berge.maximum_matching(graph, algorithm="hopcroft-karp", init="none").prove(graph)
    """,
    "3 changed within range, once the transpose is kept": """
        indptr, indices = np.array([0, 1, 2], np.int32), np.array([0, 0], np.int32)
        graph = BipartiteGraph(indptr, indices, (2, 2))
        kept = graph.T
        indices[:] = [0, 1]
        size = len(set(graph.indices.tolist()))
        assert berge.maximum_matching(graph, side="cols").cardinality == size
    """,
    "3 a scipy array that another thread changes": """
        matrix = berge.generate.erdos_renyi(20_000, 20_000, 60_000, seed=1).to_scipy()
        right, over = matrix.indices.copy(), threading.Event()

        def spoil():
            while not over.is_set():
                matrix.indices[::7] = 2**30
                time.sleep(0.002)
                matrix.indices[:] = right
                time.sleep(0.002)

        other = threading.Thread(target=spoil, daemon=True)
        other.start()
        until = time.monotonic() + 1
        while time.monotonic() < until:
            try:
                berge.maximum_matching(matrix)
            except BergeError:
                pass
        over.set()
        other.join()
    """,
    "4 a matching of one edge that says three": """
        graph = BipartiteGraph([0, 1, 2, 3], [0, 0, 0], (3, 3))
        found = berge.Matching([0, -1, -1], [0, -1, -1], upper_bound=3)
        found.cardinality = 3
        cover = berge.Certificate(np.ones(3, bool), np.zeros(3, bool))
        refused(lambda: berge.verify(graph, found, cover))
    """,
    "4 a matching that keeps the caller's arrays": """
        graph = BipartiteGraph([0, 1, 2], [0, 1], (2, 2))
        rows, cols = np.array([0, 1]), np.array([0, 1])
        found = berge.Matching(rows, cols, upper_bound=2)
        rows[:] = cols[:] = -1
        assert found.row_match.tolist() == [0, 1]
    """,
    "5 a line of 1 GB in 844 bytes": """
        head = HEAD + "coordinate pattern general\\n"
        path = put("s.mtx.bz2", bz2.compress(head.encode()) + LINE)
        refused(lambda: berge.read(path), "s.mtx.bz2")
        assert peak() < 1 << 20
    """,
    "5 the same in JSON": """
        path = put("m.json.bz2", LINE)
        refused(lambda: berge.Matching.load(path), "m.json.bz2")
        assert peak() < 1 << 20
    """,
    "5 a header of 4·10^8 rows": """
        head = HEAD + "coordinate pattern general\\n"
        path = put("s.mtx", f"{head}{4 * 10**8} {4 * 10**8} 1\\n1 1\\n")
        refused(lambda: berge.read(path), "s.mtx")
    """,
    "6 25 digits in a METIS header": """
        many = "9" * 25
        heads = (f"{many} 0", f"2 {many}", f"2 1 {many}", f"2 1 011 {many}", f"2 1 1\\n2 {many}")
        for head in heads:
            path = put("s.graph", head + "\\n2\\n1\\n")
            refused(lambda: berge.as_graph(path), "s.graph")
            refused(lambda: berge.read(path), "s.graph")
    """,
    "6 an integer beyond 64 bits": """
        path = put("s.mtx", HEAD + f"coordinate integer general\\n1 1 1\\n1 1 {10**20}\\n")
        assert berge.as_graph(path, weights=True).n_edges == 0  # rounded; a loop
    """,
    "6 damaged headers of arrays, deep JSON": """
        os.mkdir(os.path.join(place.name, "g.berge"))
        for meta, array in (("{}", b""), ("[" * 100_000, b"")):
            put("g.berge/meta.json", meta), put("g.berge/indptr.npy", array)
            refused(lambda: berge.read(os.path.join(place.name, "g.berge")), "g.berge")
    """,
    "6 npz files of scipy's that make no sense": """
        one = np.zeros(1, np.int32)
        for kind in ({"format": b"bsr", "data": np.zeros((0, 10**6, 10**6))},
                     {"format": b"\\xff\\xfe", "data": one}):
            path = archive("s.npz", indptr=one, indices=one, shape=np.array([2, 2]), **kind)
            refused(lambda: berge.read(path), "s.npz")
    """,
    "6 a damaged Parquet footer": """
        path = put("s.parquet", b"PAR1" + b"\\xff" * 40 + b"\\x20\\0\\0\\0PAR1")
        refused(lambda: berge.read(path), "s.parquet")
    """,
    "6 indices and shapes of 10^13 and 10^30": """
        refused(lambda: berge.as_bipartite(([10**13], [0])))
        refused(lambda: berge.as_graph(([0], [10**13])))
        refused(lambda: berge.as_bipartite(([0], [0]), shape=(10**30, 1)))
    """,
    "6 ragged lists, arrays of two dimensions": """
        refused(lambda: berge.as_bipartite([[1, 0], [1]]))
        matrix = own()[0].to_scipy()
        matrix.indices = matrix.indices.reshape(1, -1)
        refused(lambda: berge.maximum_matching(matrix))
    """,
    "6 a time limit that is no number": """
        for limit in ("3", True):
            refused(lambda: berge.maximum_matching(own()[0], time_limit=limit))
    """,
    "6 a certificate of lists": """
        graph, *_ = own()
        found = berge.maximum_matching(graph)
        for cover in ([True] * 200, np.ones(200), np.ones((1, 200), bool)):
            refused(lambda: berge.verify(graph, found, berge.Certificate(cover, cover)))
    """,
    "7 masked arrays": """
        refused(lambda: berge.as_bipartite(np.ma.masked_array(np.eye(2), np.eye(2))))
    """,
    "7 numbers that are none": """
        for line in ("1 1 1_000", "1 1 ١"):
            path = put("s.mtx", HEAD + f"coordinate real general\\n1 1 1\\n{line}\\n")
            refused(lambda: berge.as_graph(path, weights=True), "s.mtx", "3")
        refused(lambda: berge.read(put("s.mtx", HEAD + "coordinate pattern general\\n١ 1 0\\n")))
    """,
    "7 an endless weight": """
        for weight in (np.inf, np.nan):
            facts = {"weight": weight, "is_maximal": True, "method": "suitor"}
            path = archive("m.npz", mate=np.array([1, 0]), **facts)
            refused(lambda: berge.GreedyMatching.load(path), "m.npz")
    """,
    "7 what is read without weights and not with them": """
        text = "\\ufeff" + HEAD + "coordinate real general\\n2 2 1\\n% a comment\\n+2 1 3\\n"
        path = put("s.mtx", text)
        told = []
        for call in (berge.read, lambda path: berge.as_graph(path, weights=True)):
            try:
                call(path)
                told.append("read")
            except BergeError as error:
                told.append(str(error))
        assert told[0] == told[1], told
    """,
    "8 killed while a folder is replaced": """
        graph, path = own()[0], os.path.join(place.name, "k.berge")
        berge.write(graph, path)
        names = ("rename", "replace")
        for steps in range(1, 7):
            if (child := os.fork()) == 0:
                left = [steps]
                def dying(call):
                    def step(*given, **more):
                        left[0] -= 1
                        if not left[0]:
                            os._exit(0)
                        return call(*given, **more)
                    return step
                for name in names:
                    setattr(os, name, dying(getattr(os, name)))
                berge.write(graph, path)
                os._exit(0)
            os.waitpid(child, 0)
            assert berge.read(path).nnz == graph.nnz
    """,
    "8 files are not waited for": """
        waits, fsync = [], os.fsync
        os.fsync = lambda handle: waits.append(handle) or fsync(handle)
        berge.write(own()[0], os.path.join(place.name, "f.mtx"))
        os.fsync = fsync
        assert len(waits) > 1  # the file and its folder
    """,
    "10 an Arrow file whose lengths lie": """
        import struct, pyarrow, pyarrow.ipc
        zeros = pyarrow.array(np.zeros(77, np.int64))
        table, path = pyarrow.table({"row": zeros, "col": zeros}), put("g.arrow", "")
        with pyarrow.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
        with open(path, "rb") as file:
            data = file.read()
        for length in (10**7, 2**62):
            put("g.arrow", data.replace(struct.pack("<q", 77), struct.pack("<q", length)))
            refused(lambda: berge.read(path), "g.arrow")
    """,
    "11 28 bytes of Pajek": """
        path = put("g.net", "*Vertices 1000000000\\n")
        refused(lambda: berge.as_graph(path), "g.net")
        assert peak() < 1 << 20
    """,
    "12 neighbours of the networkx backend changed": """
        import networkx
        from berge.interop.nx_backend.graph import BergeGraph
        graph = BergeGraph.from_networkx(networkx.gnm_random_graph(1000, 3000))
        try:
            graph.indices[:] = 2**30
        except ValueError:
            pass
        networkx.maximal_matching(graph)
    """,
    "13 a general matching that is read again": """
        ends = np.random.default_rng(0).integers(0, 1000, (2, 1500))
        graph = berge.Graph.from_edges(*ends, 1000)
        right = berge.maximum_matching(graph)

        class Other(berge.GeneralMatching):
            looks = 0

            def look(self):
                self.looks += 1
                return right.mate if self.looks < 3 else np.where(right.mate < 0, -1, 2**30)

            mate = property(look, lambda self, mate: None)

        other = Other(right.mate, upper_bound=500)
        other.cardinality, other.looks = right.cardinality, 0
        try:
            berge.edge_roles(graph, matching=other)
        except BergeError:
            pass
    """,
    "14 a method of a graph that is replaced": """
        graph = berge.generate.erdos_renyi(100_000, 100_000, 300_000)
        found = berge.maximum_matching(graph)
        found = berge.Matching(found.row_match, found.col_match, upper_bound=100_000)
        try:
            graph.window = lambda lo, hi: np.full(hi - lo, 2**30, np.int32)
        except AttributeError:
            pass
        found.prove(graph)
    """,
    "15 a file with a pair of an assignment twice": """
        costs = [[5, -1], [-1, -1]]
        path = os.path.join(place.name, "p.npz")
        berge.assign(costs, objective="max", match="any").save(path)
        zeros = np.zeros(2, np.int32)
        changed(path, rows=zeros, cols=zeros, pair_weights=np.array([5, 5]))
        refused(lambda: berge.Assignment.load(path).prove(costs))
    """,
    "16 pairs out of range, and totals that are not so": """
        costs = [[4, 1, 9], [2, 3, 9]]
        plan = berge.assign(costs)
        plan.rows, plan.cols = np.array([0, 0]), np.array([1, 3])
        refused(plan.prove)
        plan = berge.assign(costs)
        plan.total = 10**9
        refused(plan.prove)
    """,
    "17 prices as large as one likes": """
        costs = np.array([[4.0, 1.0], [2.0, 3.5]])
        plan = berge.assign(costs)
        plan.cols, plan.pair_weights = np.array([0, 1]), np.array([4.0, 3.5])
        plan.row_side = plan.row_side._replace(prices=plan.row_side.prices + 2.0**45)
        plan.col_side = plan.col_side._replace(prices=plan.col_side.prices - 2.0**45)
        refused(lambda: plan.prove(costs))
    """,
    "18 a tolerance that the file brings": """
        source = ([0, 1, 2], [1, 2, 3], [2.5, 5.5, 2.5])
        path = os.path.join(place.name, "w.npz")
        berge.maximum_weight_matching(source).save(path)
        changed(path, mate=np.full(4, -1), weight=0.0, tolerance=np.inf)
        refused(lambda: berge.WeightedMatching.load(path).prove(source))
    """,
    "19 a bottleneck with capacities": """
        plan = berge.assign([[4, 1], [2, 3]], objective="bottleneck")
        plan.row_side = plan.row_side._replace(capacity=np.array([1, 0]))
        refused(plan.prove)
    """,
    "20 JSON with words for weights": """
        import json
        path = os.path.join(place.name, "p.json")
        berge.assign([[4, 1], [2, 3]]).save(path)
        with open(path) as file:
            content = json.load(file)
        content["proof"]["pair_weights"] = ["a", "b"]
        put("p.json", json.dumps(content))
        refused(lambda: berge.Assignment.load(path), "p.json")
    """,
    "21 indices that scipy's own code does not look at": """
        from scipy.sparse import bsr_array, coo_array
        from berge.interop import scipy as instead
        coo = coo_array((np.ones(1000), (np.arange(1000), np.arange(1000))))
        coo.row[:] = 2**30
        bsr = bsr_array(np.ones((400, 400)), blocksize=(2, 2))
        bsr.indptr[5] = -(2**30)
        for matrix in (coo, bsr):
            refused(lambda: berge.scale_and_permute(matrix))
            refused(lambda: berge.maximum_matching(matrix))
            refused(lambda: instead.linear_sum_assignment(matrix))
        refused(lambda: instead.min_weight_full_bipartite_matching(coo))
    """,
}


def run(source: str, src: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a script in a process of its own, perhaps with other sources."""
    env = dict(os.environ) if src is None else os.environ | {"PYTHONPATH": src}
    command = [sys.executable, "-c", START + source]
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=300)


@pytest.mark.skipif(not COMPILED, reason="crashes are those of compiled code")
def test_findings():
    """All of them in one process, which holds as long as each does no harm."""
    pytest.importorskip("pyarrow")
    pytest.importorskip("networkx")
    scripts = [f"def case():{{}}\ncase()\nprint({name!r}, flush=True)\n" for name in CASES]
    bodies = [dedent(body).rstrip().replace("\n", "\n    ") for body in CASES.values()]
    said = run("".join(script.format(body) for script, body in zip(scripts, bodies, strict=True)))
    assert said.stdout.splitlines() == list(CASES), said.stderr[-3000:]
    assert said.returncode == 0


def main() -> None:
    """Print what each script does to each of the sources."""
    for name, body in CASES.items():
        outcomes = []
        for src in sys.argv[1:]:
            try:
                done = run(dedent(body), src)
            except subprocess.TimeoutExpired:
                outcomes.append("hangs")
                continue
            last = (done.stderr.strip().splitlines() or [""])[-1][:70]
            outcomes.append("held" if done.returncode == 0 else f"{done.returncode}: {last}")
        print(name, *outcomes, sep=" | ", flush=True)


if __name__ == "__main__":
    main()
