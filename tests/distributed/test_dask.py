"""Solves on Dask clusters: in one process, in several, and with real schedulers and workers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import berge
from berge.distributed import sources
from berge.distributed.part import Part
from berge.results.stored import StoredMatching

distributed = pytest.importorskip("distributed")
# Workers that are started by hand do not find the module of the tests.
pytest.importorskip("cloudpickle").register_pickle_by_value(sys.modules[__name__])

pytestmark = [
    pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="clusters, not kernels"),
    # Dask closes sockets of dead workers when the garbage collector comes by.
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

GRAPH = berge.generate.erdos_renyi(1000, 1000, 3000, seed=1)  # some ten phases from nothing
CARDINALITY = berge.maximum_matching(GRAPH).cardinality


def proved(matching, graph=GRAPH):
    """Check a matching and the certificate that came with it by what shares no code with them."""
    assert matching.cardinality == berge.maximum_matching(graph).cardinality
    berge.verify(graph, matching, matching.certificate)
    assert matching.certificate is not None
    assert matching.is_maximum
    return True


@pytest.fixture(scope="module")
def client():
    """Three workers in processes of their own."""
    with (
        distributed.LocalCluster(
            n_workers=3, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def pair():
    """Two workers in this process."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_memory_folder_parquet_and_dask_frame(client, tmp_path):
    """The same graph from everywhere it may lie."""
    dataframe = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    berge.write(GRAPH, tmp_path / "graph.berge")
    rows = np.repeat(np.arange(GRAPH.n_rows), np.diff(GRAPH.indptr))
    edges = pandas.DataFrame({"weight": 1.0, "to": GRAPH.indices, "from": rows})
    edges = edges.sample(frac=1, random_state=0)
    (tmp_path / "edges").mkdir()
    for k in range(2):
        path = tmp_path / "edges" / f"{k}.parquet"
        edges[k::2].to_parquet(path, row_group_size=1000, index=False)
    named = {"left": "from", "right": "to", "shape": GRAPH.shape}
    frame = dataframe.from_pandas(edges, npartitions=5)
    for source, options in (
        (GRAPH, {}),
        (tmp_path / "graph.berge", {}),
        (tmp_path / "edges", named),
        (str(tmp_path / "edges" / "*.parquet"), {"left": "from", "right": "to"}),
        (frame, named),
    ):
        m = berge.maximum_matching(source, cluster=client, prove=True, **options)
        assert proved(m), source
        assert m.stats.cluster["workers"] == 3
        assert m.stats.cluster["edges"] == GRAPH.nnz
        assert m.stats.cluster["exchanges"] > 0
        assert m.stats.cluster["bytes"] > 0


def test_exchange_delivers_in_order_whatever_the_size(pair, client, monkeypatch):
    def check(comm, pieces):
        for size in (0, 3, 100_000, 1, 300_000):
            sent = [np.arange(size + p) * (comm.rank + 1) for p in range(comm.size)]
            received, flags = comm.exchange(sent, comm.rank - 5)
            for array in sent:
                array[:] = -1  # ours again
            assert flags == sum(p - 5 for p in range(comm.size))
            for p, array in enumerate(received):
                if p != comm.rank:
                    np.testing.assert_array_equal(array, np.arange(size + comm.rank) * (p + 1))
        return Part.from_graph(berge.generate.chain(50), comm.rank, comm.size)

    monkeypatch.setattr(
        sources, "open_source", lambda *_: sources.Source(check, lambda c, a: [[] for _ in a])
    )
    for each in (pair, client):
        assert berge.maximum_matching(None, cluster=each).cardinality == 50


def test_output_in_parts(client, tmp_path):
    out = tmp_path / "out"
    m = berge.maximum_matching(GRAPH, cluster=client, output=out, prove=True)
    assert isinstance(m, StoredMatching)
    assert m.cardinality == CARDINALITY
    assert sum(m.cover) == CARDINALITY
    assert len(list(out.glob("row_match-*-of-00003.npy"))) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert proved(m)
    joined = berge.Matching.load(out)
    assert joined.certificate is None  # nobody has checked it here
    np.testing.assert_array_equal(joined.prove(GRAPH).rows, m.certificate.rows)
    joined.save(tmp_path / "joined.npz")
    assert berge.Matching.load(tmp_path / "joined.npz").prove(GRAPH).size == CARDINALITY

    # A second result takes the place of the first; what is something else is left alone.
    again = berge.maximum_matching(GRAPH, cluster=client, output=out)
    assert again.certificate is None
    assert not list(out.glob("*cover*"))
    with pytest.raises(FileExistsError, match="not replaced"):
        berge.maximum_matching(GRAPH, cluster=client, output=tmp_path / "joined.npz")

    part = out / "col_match-00001-of-00003.npy"
    content = bytearray(part.read_bytes())
    content[-1] ^= 1
    part.write_bytes(content)
    with pytest.raises(berge.FormatError, match=r"col_match-00001-of-00003\.npy: damaged"):
        berge.Matching.load(out)
    part.unlink()
    with pytest.raises(berge.FormatError, match=r"col_match-00001-of-00003\.npy: missing"):
        berge.Matching.load(out)
    (out / "meta.json").write_text("{}")
    with pytest.raises(berge.FormatError, match=r"meta\.json: not the meta"):
        berge.Matching.load(out)


def test_checkpoint_goes_on_with_another_number_of_workers(client, pair, tmp_path):
    """Stopped after some phases on three workers, finished on two; never on another graph."""
    saved = tmp_path / "saved"

    def stop(report):
        if report.phase >= 1:
            raise KeyboardInterrupt

    with slow(client):
        m = berge.maximum_matching(
            GRAPH, cluster=client, checkpoint=saved, init="none", on_phase=stop
        )
    assert m.stats.stopped == "interrupted"
    assert 0 < m.cardinality < CARDINALITY
    assert not m.is_maximum
    berge.verify(GRAPH, m)
    asked = {"cluster": pair, "checkpoint": saved, "resume": True}
    with pytest.raises(berge.CheckpointError, match=r"saved holds a checkpoint: .*resume=True"):
        berge.maximum_matching(GRAPH, cluster=pair, checkpoint=saved)
    m = berge.maximum_matching(GRAPH, **asked, init="none", prove=True)
    assert m.stats.start_cardinality > 0
    assert m.stats.cluster["workers"] == 2
    assert proved(m)
    phase = m.stats.cluster["resumed_phase"]
    assert phase >= 1
    assert m.stats.init == f"phase {phase} of the checkpoint"

    with pytest.raises(berge.CheckpointError, match="saved"):
        berge.maximum_matching(berge.generate.chain(100), **asked)
    for file in saved.rglob("*.npy"):
        content = bytearray(file.read_bytes())
        content[-3] ^= 1
        file.write_bytes(content)
    with pytest.raises(berge.CheckpointError, match=r"\.npy"):
        berge.maximum_matching(GRAPH, **asked)


def test_greedy(client, tmp_path):
    """As on one machine with weights; of a folder each worker reads its slice."""
    rng = np.random.default_rng(0)
    grid = berge.generate.grid(30, 30)
    graph = berge.as_graph(grid)
    ends = np.repeat(np.arange(graph.n_vertices), np.diff(graph.indptr)), graph.indices
    upper = ends[0] < ends[1]
    edges = ends[0][upper], ends[1][upper]
    heavy = berge.as_graph(edges, weights=rng.random(edges[0].size))
    m = berge.greedy_matching(heavy, cluster=client)
    assert (m.method, m.is_maximal) == ("locally-dominant", True)
    np.testing.assert_array_equal(m.mate, berge.greedy_matching(heavy).mate)
    berge.verify(heavy, m)
    berge.write(grid, tmp_path / "grid.berge")
    m = berge.greedy_matching(tmp_path / "grid.berge", cluster=client, seed=3)
    assert (m.method, m.seed) == ("proposals", 3)
    berge.verify(graph, m)
    assert m.is_maximal
    with pytest.raises(berge.FormatError, match="has no weights"):
        berge.greedy_matching(tmp_path / "grid.berge", weights=True, cluster=client)
    with pytest.raises(berge.OptionError, match="method on a cluster is one of locally-dominant"):
        berge.greedy_matching(graph, method="suitor", cluster=client)
    with pytest.raises(berge.OptionError, match="permute is for one machine"):
        berge.greedy_matching(graph, permute=False, cluster=client)
    with pytest.raises(berge.OptionError, match="p must be"):
        berge.greedy_matching(graph, p=2, cluster=client)
    reports = []
    m = berge.greedy_matching(graph, cluster=client, on_phase=reports.append)
    assert (m.stopped, reports[-1].cardinality) == (None, m.size)
    assert m.rounds == reports[-1].phase > 1
    m = berge.greedy_matching(graph, cluster=client, time_limit=0)
    assert (m.stopped, m.is_maximal) == ("time limit", False)
    berge.verify(graph, m)


def test_pairs_between_two_lists(client, tmp_path):
    """From Parquet, from a Dask dataframe and from a frame: the same pairs as on one machine."""
    dataframe = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(2)
    left, right = rng.integers(0, 300, (2, 1500))
    score = rng.permutation(1500) / 8
    frame = pandas.DataFrame({"a": left * 1000, "b": [f"b{k}" for k in right], "score": score})
    (tmp_path / "in").mkdir()
    for k in range(4):
        frame[k::4].to_parquet(tmp_path / f"in/{k}.parquet")
    asked = {"left": "a", "right": "b", "weights": "score", "prove": True}
    here = berge.greedy_matching(frame, **asked)
    parts = dataframe.from_pandas(frame, npartitions=5)
    for source in (frame, parts, str(tmp_path / "in/*.parquet"), tmp_path / "in"):
        m = berge.greedy_matching(source, cluster=client, **asked)
        assert sorted(m.named()) == sorted(here.named())
        assert m.upper_bound == pytest.approx(here.upper_bound)
        assert m.certificate.prices.size == m.mate.size
    out = tmp_path / "links.parquet"
    m = berge.greedy_matching(tmp_path / "in", cluster=client, output=out, **asked)
    assert (m.mate.size, m.size, m.of_best) == (0, here.size, pytest.approx(here.of_best))
    written = pandas.read_parquet(out)
    assert sorted(zip(written.a, written.b, strict=True)) == sorted(here.named())
    assert written.score.sum() == pytest.approx(here.weight)
    best = berge.assign(frame, "score", left="a", right="b", objective="max", match="any").total
    assert best <= m.upper_bound
    with pytest.raises(berge.OptionError, match="output is for pairs between two lists"):
        berge.greedy_matching(GRAPH, cluster=client, output=out)


def test_urls(pair, tmp_path):
    """What lies elsewhere is read by the workers: of a folder each its own rows."""
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    try:
        for name in ("graph.berge", "graph.parquet", "graph.mtx"):
            url = f"memory://cluster/{name}"
            berge.write(GRAPH, url)
            proved(berge.maximum_matching(url, cluster=pair, prove=True))
        proved(berge.maximum_matching("memory://cluster/*.parquet", cluster=pair, prove=True))
        berge.write(GRAPH, tmp_path / "graph.berge")
        url = (tmp_path / "graph.berge").as_uri()
        proved(berge.maximum_matching(url, cluster=pair, prove=True))
        with pytest.raises(berge.BergeError, match=r"not found: memory://cluster/none.berge"):
            berge.maximum_matching("memory://cluster/none.berge", cluster=pair)
        with pytest.raises(berge.OptionError, match="output is a folder that all workers see"):
            berge.maximum_matching(GRAPH, cluster=pair, output="memory://cluster/out")
        import pandas

        frame = pandas.DataFrame({"a": [1, 1, 2], "b": ["x", "y", "x"], "s": [2.0, 3.0, 1.0]})
        asked = {"left": "a", "right": "b", "weights": "s", "cluster": pair}
        out = "memory://cluster/links"
        assert berge.greedy_matching(frame, output=out, **asked).weight == 4
        names = [path.rpartition("/")[2] for path in system.find("/cluster/links")]
        assert names == ["_SUCCESS", "part-00000-of-00002.parquet", "part-00001-of-00002.parquet"]
        with pytest.raises(berge.ClusterError, match="not replaced"):
            berge.greedy_matching(frame, output=out, **asked)
    finally:
        system.rm("/cluster", recursive=True)


def test_memory_of_workers():
    """What a worker may have is known before it is too late, and afterwards."""

    def hog(comm, pieces):
        held = []
        while True:
            held.append(np.ones(1 << 22))  # 32 MB
            time.sleep(0.01)

    with (
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            memory_limit="600MiB",
            dashboard_address=":0",
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        proved(berge.maximum_matching(GRAPH, cluster=client, prove=True))

        def metrics(dask_scheduler):
            return [worker.metrics for worker in dask_scheduler.workers.values()]

        told, until = {"berge phase", "berge matched"}, time.monotonic() + 30
        while not told <= set(client.run_on_scheduler(metrics)[0]):  # by the next heartbeat
            assert time.monotonic() < until
            time.sleep(0.1)

        def resident(size):
            from berge.distributed import worker

            worker._resident = lambda: size

        client.run(resident, 1 << 40)
        with pytest.raises(berge.ClusterError, match=r"takes .* more than .* use more workers"):
            berge.maximum_matching(GRAPH, cluster=client)
        client.run(resident, 0)
        with (
            patched_source(hog),
            pytest.raises(berge.ClusterError, match=r"was ended by Dask for its memory: it had "),
        ):
            berge.maximum_matching(GRAPH, cluster=client, restarts=0)


@contextmanager
def patched_source(make_part):
    """Have members make their parts in another way."""
    before = sources.open_source
    sources.open_source = lambda *args: sources.Source(make_part)
    try:
        yield
    finally:
        sources.open_source = before


def test_time_limit_and_progress(pair, capfd):
    m = berge.maximum_matching(GRAPH, cluster=pair, time_limit=0, prove=True, init="none")
    assert m.stats.init == "none"
    assert "resumed_phase" not in m.stats.cluster
    assert 0 < m.stats.seconds["connect"] < m.stats.seconds["total"]
    assert m.stats.stopped == "time limit"
    assert m.certificate is None
    berge.verify(GRAPH, m)
    reports = []
    m = berge.maximum_matching(GRAPH, cluster=pair, on_phase=reports.append, progress=True)
    assert reports[-1].cardinality == m.cardinality == CARDINALITY
    assert [r.seconds for r in reports] == sorted(r.seconds for r in reports)
    assert m.stats.phases == reports[-1].phase


def test_labels_come_back(pair):
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph([("ann", "cook"), ("bob", "cook"), ("bob", "drive")])
    networkx.set_node_attributes(graph, {"ann": 0, "bob": 0, "cook": 1, "drive": 1}, "bipartite")
    m = berge.maximum_matching(graph, cluster=pair)
    assert m.as_dict() == {"ann": "cook", "bob": "drive"}


def test_more_workers_than_rows(client):
    m = berge.maximum_matching(([0, 0], [0, 3]), cluster=client, prove=True)
    assert m.pairs().tolist() in ([[0, 0]], [[0, 3]])
    assert berge.maximum_matching(np.zeros((0, 0)), cluster=client).cardinality == 0


def test_a_column_out_of_range_is_named(pair, tmp_path):
    berge.write(GRAPH, tmp_path / "graph.berge")
    indices = np.load(tmp_path / "graph.berge" / "indices.npy", mmap_mode="r+")
    indices[2900] = 12345  # in the second part
    indices.flush()
    with pytest.raises(berge.FormatError, match=r"indices\[2900\] = 12345 is not in 0 … 999"):
        berge.maximum_matching(tmp_path / "graph.berge", cluster=pair)


def test_what_is_wrong_on_a_worker_is_raised_here(pair, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    with pytest.raises(FileNotFoundError, match=r"none\.berge"):
        berge.maximum_matching(tmp_path / "none.berge", cluster=pair)
    for name, values, message in (
        ("texts", ["a", "b"], "'row' holds"),
        ("negative", [-1, 2], "row 0: row -1 is below 0"),
        ("missing", [None, 2], "'row' has no value"),
    ):
        path = tmp_path / f"{name}.parquet"
        parquet.write_table(pyarrow.table({"row": values, "col": [0, 1]}), path)
        with pytest.raises(berge.FormatError, match=rf"{name}\.parquet: .*{message}"):
            berge.maximum_matching(path, cluster=pair)
    path = tmp_path / "large.parquet"
    parquet.write_table(pyarrow.table({"row": [0, 2], "col": [0, 1]}), path)
    with pytest.raises(berge.InvalidGraphError, match="row index 2 is not in 0 … 1"):
        berge.maximum_matching(path, cluster=pair, shape=(2, 2))
    (tmp_path / "text.parquet").write_text("nothing of the kind")
    with pytest.raises(berge.FormatError, match="not a Parquet or Arrow file"):
        berge.maximum_matching(tmp_path / "text.parquet", cluster=pair)
    with pytest.raises(berge.OptionError, match="no column 'x'"):
        berge.maximum_matching(tmp_path / "large.parquet", cluster=pair, left="x")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cluster": "local[2]", "algorithm": "hkdw"}, "algorithm is for one machine"),
        ({"cluster": "local[2]", "device": "cuda"}, "device is for one machine"),
        ({"cluster": "local[2]", "side": "cols"}, "side is for one machine"),
        ({"cluster": "local[2]", "initial": berge.Matching([], [], upper_bound=0)}, "initial is"),
        ({"cluster": "local[2]", "init": "cheap"}, "init on a cluster is one of within-parts"),
        ({"cluster": "local[2]", "lookahead": False}, "'lookahead' is no option"),
        ({"cluster": "local[2]", "restarts": -1}, "restarts must be"),
        ({"cluster": "local[2]", "resume": True}, "resume=True needs checkpoint="),
        ({"cluster": "local[2]", "workers": 0}, "workers must be"),
        ({"cluster": "local[2]", "seed": -1}, "seed must be"),
        ({"cluster": "local[2]", "time_limit": -1}, "time_limit must be"),
        ({"cluster": "local[2]", "threads": 0}, "threads must be"),
        ({"cluster": "local[0]"}, "write 'local"),
        ({"cluster": "localhost[2]"}, "write 'local"),
        ({"cluster": "foo"}, r"write 'local\[4\]' .* or the address of a Dask scheduler"),
        ({"cluster": 4}, "cluster must be the address"),
        ({"checkpoint": "folder"}, "checkpoint is for solves on a cluster"),
        ({"resume": True}, "resume is for solves on a cluster"),
        ({"output": "folder"}, "output is for solves on a cluster"),
    ],
)
def test_options_that_do_not_apply(options, message):
    with pytest.raises(berge.OptionError, match=message):
        berge.maximum_matching(GRAPH, **options)


def test_shape_is_not_for_folders(pair, tmp_path):
    with pytest.raises(berge.OptionError, match="shape is for tables"):
        berge.maximum_matching(tmp_path / "graph.berge", cluster=pair, shape=(1, 1))


def test_missing_dask(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(berge.OptionError, match=r"berge\[dask\]"):
        berge.maximum_matching(GRAPH, cluster="local[2]")


def test_no_scheduler_there(capsys):
    import dask

    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1.5s"}),
        pytest.raises(berge.ClusterError, match="no Dask scheduler at tcp://127"),
    ):
        berge.maximum_matching(GRAPH, cluster="tcp://127.0.0.1:1", progress=True)
    assert capsys.readouterr().err == "waiting for the scheduler at tcp://127.0.0.1:1\n"


def test_waiting_for_workers_is_within_the_time_limit(pair):
    with pytest.raises(berge.ClusterError, match="the cluster has 2 workers of 3 after 0 s"):
        berge.maximum_matching(GRAPH, cluster=pair, workers=3, time_limit=0.1)


# Real processes.

DASK = str(Path(sys.executable).with_name("dask"))


class Processes:
    """A scheduler and workers as people start them; no nanny, so that who is killed stays dead."""

    def __init__(self, folder: Path):
        self.file = folder / "scheduler.json"
        self.running = [self._start("scheduler", "--port", "0", "--no-dashboard")]
        self.client = None

    def _start(self, *args):
        return subprocess.Popen(
            [DASK, *args, "--scheduler-file", str(self.file)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"NUMBA_NUM_THREADS": "1"},
        )

    def add_worker(self):
        worker = self._start("worker", "--no-nanny", "--nthreads", "1", "--no-dashboard")
        self.running.append(worker)
        return worker

    def replace_worker(self):
        """Start a worker, and wait until the scheduler knows it."""
        before, deadline = set(self.client.nthreads()), time.monotonic() + 60
        self.add_worker()
        while set(self.client.nthreads()) <= before and time.monotonic() < deadline:
            time.sleep(0.05)

    def connect(self, workers=3):
        """Return a client of as many workers; those that are missing are started."""
        deadline = time.monotonic() + 60
        while not self.file.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        if self.client is None:
            self.client = distributed.Client(scheduler_file=str(self.file))
        for _ in range(workers - len(self.client.nthreads())):
            self.add_worker()
        self.client.wait_for_workers(workers, timeout=60)
        return self.client

    def any_worker(self):
        """Return the process of one of the workers."""
        pid = next(iter(self.client.run(os.getpid).values()))
        return next(process for process in self.running if process.pid == pid)

    def close(self):
        if self.client is not None:
            self.client.close()
        for process in reversed(self.running):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def processes(tmp_path_factory):
    processes = Processes(tmp_path_factory.mktemp("dask"))
    yield processes
    processes.close()


def _slow_down(seconds):
    from berge.distributed.links import Links

    original = getattr(Links, "original", Links.exchange)

    def exchange(self, arrays, flag=0):
        time.sleep(seconds)
        return original(self, arrays, flag)

    Links.original = original
    Links.exchange = exchange


@contextmanager
def slow(client, seconds=0.005):
    """Let every exchange take longer, so that there is a middle of the run."""
    client.run(_slow_down, seconds)
    yield
    client.run(_slow_down, 0)


class KillOnce:
    """Kills a process when the first phase is over, and may have another one started."""

    def __init__(self, victim, then=None):
        self.victim, self.then, self.phases = victim, then, []

    def __call__(self, report):
        self.phases.append(report.phase)
        if report.phase >= 1 and self.victim is not None:
            os.kill(self.victim.pid, signal.SIGKILL)
            self.victim.wait()
            self.victim = None
            if self.then is not None:
                self.then()


def test_kill_one_of_three_workers(processes, tmp_path):
    """kill -9 in the middle: the same call returns the right, proved answer, on those left."""
    client = processes.connect()
    berge.write(GRAPH, tmp_path / "graph.berge")
    kill = KillOnce(processes.any_worker())
    with slow(client):
        m = berge.maximum_matching(
            tmp_path / "graph.berge",
            cluster=client,
            checkpoint=tmp_path / "saved",
            init="none",
            on_phase=kill,
            prove=True,
        )
    assert kill.victim is None
    assert proved(m)
    assert m.stats.cluster["restarts"] == 1
    assert m.stats.cluster["workers"] == 2
    assert m.stats.start_cardinality > 0  # it went on from the checkpoint


def test_kill_a_worker_whose_replacement_comes(processes):
    """Without a checkpoint, from what the survivors have; on as many workers as before."""
    client = processes.connect()
    kill = KillOnce(processes.any_worker(), then=processes.replace_worker)
    with slow(client):
        m = berge.maximum_matching(
            GRAPH, cluster=client.scheduler.address, init="none", on_phase=kill, prove=True
        )
    assert kill.victim is None
    assert proved(m)
    assert m.stats.cluster["restarts"] == 1
    assert m.stats.cluster["workers"] == 3
    assert 0 < m.stats.start_cardinality < CARDINALITY


def test_lost_too_often(processes):
    client = processes.connect()
    victim = processes.any_worker()
    with slow(client), pytest.raises(berge.ClusterError, match="a worker was lost 1 times"):
        berge.maximum_matching(
            GRAPH, cluster=client, init="none", on_phase=KillOnce(victim), restarts=0
        )
    # Nothing is left behind on those that are.
    assert client.run(_open_sessions) == dict.fromkeys(client.nthreads(), 0)


def _open_sessions(dask_worker):
    from berge.distributed.worker import Sessions

    return len(Sessions.of(dask_worker).open)


def test_command_line(processes, tmp_path):
    from click.testing import CliRunner

    from berge.cli import cli

    client = processes.connect(2)
    berge.write(GRAPH, tmp_path / "graph.berge")
    address, out = client.scheduler.address, tmp_path / "out"

    def run(*args):
        result = CliRunner().invoke(cli, [str(arg) for arg in args])
        return result.exit_code, result.stdout, result.stderr

    code, output, _ = run(
        "match", tmp_path / "graph.berge", "--cluster", address, "-o", out,
        "--checkpoint", tmp_path / "saved", "--json",
    )  # fmt: skip
    facts = json.loads(output)
    assert code == 0
    assert (facts["cardinality"], facts["proved"], facts["edges"]) == (CARDINALITY, True, GRAPH.nnz)
    assert facts["cover_rows"] + facts["cover_cols"] == CARDINALITY
    again = ("match", tmp_path / "graph.berge", "--cluster", address, "--checkpoint")
    code, _, errors = run(*again, tmp_path / "saved")
    assert code == 1
    assert "holds a checkpoint: go on from it with --resume" in " ".join(errors.split())
    code, output, _ = run(*again, tmp_path / "saved", "--resume")
    assert code == 0
    assert "of the checkpoint" in output
    code, output, _ = run("verify", tmp_path / "graph.berge", out, "--json")
    assert code == 0
    assert json.loads(output)["is_maximum"]
    code, output, _ = run(
        "match", tmp_path / "graph.berge", "--cluster", address, "-o", out / "x.txt"
    )
    assert code == 0
    assert "exchanges" in output
    assert "workers" in output
    assert berge.Matching.load(out / "x.txt").cardinality == CARDINALITY
    code, output, _ = run("greedy", tmp_path / "graph.berge", "--cluster", address, "--json")
    assert code == 0
    facts = json.loads(output)
    assert (facts["method"], facts["vertices"], facts["edges"]) == ("proposals", 1000, None)
    assert facts["is_maximal"]
    code, output, _ = run("greedy", tmp_path / "graph.berge", "--cluster", address)
    assert code == 0
    assert f"proposals on {address}" in output
    code, _, errors = run("match", tmp_path / "graph.berge", "--checkpoint", out)
    assert code == 2
    assert "--cluster" in errors


SCRIPT = """
import sys
import berge

m = berge.maximum_matching(sys.argv[1], cluster="local[2]", prove=True)
print(m.cardinality, m.stats.cluster["workers"])
"""


def test_local_cluster_from_a_script_without_a_guard(tmp_path):
    berge.write(GRAPH, tmp_path / "graph.berge")
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, tmp_path / "script.py", tmp_path / "graph.berge"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == [str(CARDINALITY), "2"]


def test_interrupt_while_a_local_cluster_starts(monkeypatch):
    """Ctrl-C ends the call, and the workers that are not there yet."""
    from berge.distributed import dask

    ended = []

    def interrupt(client):
        raise KeyboardInterrupt

    monkeypatch.setattr(dask, "listed", interrupt)
    monkeypatch.setattr(dask, "_end", lambda process, end=dask._end: ended.append(end(process)))
    with pytest.raises(KeyboardInterrupt):
        berge.maximum_matching(GRAPH, cluster="local[2]")
    assert ended == [None]
