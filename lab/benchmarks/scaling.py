"""What a solve in parts would cost on more machines than there are here: docs/scaling.md.

    python lab/benchmarks/scaling.py record  FOLDER      exchanges of graphs in 2 to 16 parts
    python lab/benchmarks/scaling.py network FOLDER      latency and bandwidth of MPI and Dask here
    python lab/benchmarks/scaling.py check   FOLDER      real runs of graphs that were not recorded
    python lab/benchmarks/scaling.py report  FOLDER      tables in Markdown; --figure SVG: a picture

Each step keeps what it finds in the folder and leaves out what is there already, so it can be
stopped and gone on with. The parts of `record` run in this process, one at a time, and are timed by
the clock of their threads: one core is enough for 64 parts, and a busy machine does little harm.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from berge import BipartiteGraph, generate
from berge.distributed.core import match_part
from berge.distributed.part import Part
from berge_lab.bench.loop import in_turns
from berge_lab.scaling import LETTER, Laws, Log, Network, part_bytes, predict, record, replay

GRAPHS: dict[str, Any] = {
    "rmat": lambda n, seed: generate.rmat(round(np.log2(n)), 8, seed=seed),
    "road": lambda n, seed: generate.road(*[round(0.715 * n**0.5)] * 2, seed=seed),
    "delaunay": lambda n, seed: generate.delaunay(n, seed=seed),
    "random": lambda n, seed: generate.erdos_renyi(n, n, 4 * n, seed=seed),
}
# Rows, parts and seeds that the laws are fitted to, and that they are tried on.
FITTED = [
    (10**5, (2, 4, 8, 16), 3),
    (3 * 10**5, (2, 4, 8, 16), 2),
    (10**6, (2, 4, 8, 16), 1),
    (10**5, (64,), 1),
    (3 * 10**5, (64,), 1),
]
TRIED = [(10**6, (64,), 1), (2 * 10**6, (16,), 1)]
SEED = 7  # of the graphs of `check`
CHECKED = (10**4, 10**5, 10**6)


def run_of(graph: BipartiteGraph, parts: int) -> tuple[Log, dict[str, Any]]:
    """Solve in parts; return the log, and facts about the graph and the solve."""
    cut = [Part.from_graph(graph, rank, parts) for rank in range(parts)]
    log, results = record(parts, lambda comm: match_part(cut[comm.rank], comm, gather=False))
    stats = results[0].stats
    ghosts = []
    for part in cut:
        outside = (part.indices < part.cols.start) | (part.indices >= part.cols.stop)
        ghosts.append(np.unique(part.indices[outside]).size)
    facts = {
        "rows": graph.n_rows,
        "edges": graph.nnz,
        "parts": parts,
        "phases": stats.phases,
        "local": stats.local_fraction,
        "cardinality": stats.cardinality,
        "trees": int(np.count_nonzero(np.diff(graph.indptr))) - stats.start_cardinality,
        "ghosts": max(ghosts),
        "hub": int(max(np.diff(graph.indptr).max(), np.bincount(graph.indices).max())),
    }
    return log, facts


def record_all(folder: Path, names: list[str]) -> None:
    """Record every graph that is not in the folder yet."""
    for graph in (generate.road(30, 30), generate.rmat(9, 8)):
        run_of(graph, 2)  # compiled
    for rows, cuts, seeds in FITTED + TRIED:
        for name, seed in product(names or GRAPHS, range(seeds)):
            paths = {p: folder / f"{name}-{rows}-{p}-{seed}.npz" for p in cuts}
            missing = {p: path for p, path in paths.items() if not path.exists()}
            graph = GRAPHS[name](rows, seed) if missing else None
            for parts, path in missing.items():
                begin = time.perf_counter()
                log, facts = run_of(graph, parts)
                save(path, log, facts | {"name": name})
                seconds = time.perf_counter() - begin
                print(f"{path.stem}: {len(log.work)} rounds, {seconds:.1f} s", flush=True)


def save(path: Path, log: Log, facts: dict[str, Any]) -> None:
    """Write aside, then rename."""
    aside = path.with_name(f"aside-{path.name}")
    np.savez_compressed(aside, work=log.work, sent=log.sent, facts=json.dumps(facts))
    aside.rename(path)


# ---- What an exchange costs here ----------------------------------------------------------------


def time_exchanges(comm: Any, sizes: tuple[int, ...] = (9, 1 << 17, 1 << 20)) -> dict[int, float]:
    """Seconds of an exchange, by the numbers sent to each peer: the best of batches."""
    best = {}
    for size in sizes:
        arrays = [np.zeros(size, np.int64)] * comm.size
        batch, batches = (20, 40) if size < 1000 else (5, 12)

        def several(arrays: Any = arrays, batch: int = batch) -> None:
            for _ in range(batch):
                comm.exchange(arrays)

        best[size] = in_turns({"": several}, batches, warm_up=False)[""].best / batch
    return best


def per_peer() -> float:
    """Seconds that `MPICommunicator` itself spends on each peer, without what MPI does."""
    from berge.distributed.mpi import MPICommunicator

    seconds = []
    for peers in (64, 1024):
        comm = MPICommunicator()
        comm.size, comm.comm = peers, Nothing()
        seconds.append(min(time_exchanges(comm, (9,)).values()))
    return (seconds[1] - seconds[0]) / (1024 - 64)


class Nothing:
    """MPI that gives back what is sent."""

    def Alltoall(self, out: Any, back: Any) -> None:  # noqa: N802
        back[:] = out

    def Alltoallv(self, out: Any, back: Any) -> None:  # noqa: N802
        back[0][:] = out[0]


def time_dask(workers: int) -> dict[int, float]:
    """The same as `time_exchanges`, on Dask workers of this machine."""
    from berge.distributed.worker import WorkerSession
    from distributed import Client, LocalCluster, get_worker

    def work(rank: int, addresses: list[str]) -> dict[int, float]:
        session = WorkerSession(get_worker(), "benchmark", rank, addresses)
        time.sleep(1)  # for the others to have theirs
        session.links.connect()
        best = time_exchanges(session.links)
        session.links.exchange([np.zeros(1, np.int64)] * len(addresses))
        return best

    with (
        LocalCluster(workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        addresses = sorted(client.nthreads())
        futures = [
            client.submit(work, rank, addresses, workers=[address])
            for rank, address in enumerate(addresses)
        ]
        return worst(client.gather(futures))


def worst(times: list[dict[Any, float]]) -> dict[int, float]:
    """The slowest part's times."""
    return {int(size): max(t[size] for t in times) for size in times[0]}


ENGINES = ("mpi-2", "mpi-4", "dask-2", "dask-4", "python")


def measure_network(folder: Path, names: list[str]) -> None:
    """Measure exchanges of MPI and of Dask between processes of this machine; keep the best.

    Four MPI ranks get no priority: on fewer cores, one that polls would keep the others out.
    """
    path = folder / "network.json"
    facts = json.loads(path.read_text()) if path.exists() else {}
    for name in names or ENGINES:
        engine, _, parts = name.partition("-")
        with before_others() if name != "mpi-4" else nullcontext():
            if engine == "mpi":
                found = worst(by_mpi(int(parts), "mpi-network", folder))
            else:
                found = time_dask(int(parts)) if engine == "dask" else {0: per_peer()}
        best = {int(size): seconds for size, seconds in facts.get(name, {}).items()}
        facts[name] = {size: min(t, best.get(size, t)) for size, t in found.items()}
        print(name, facts[name], flush=True)
    path.write_text(json.dumps(facts))


def network_of(folder: Path, engine: str) -> Network:
    """Turn the times of exchanges into latency, overhead and bandwidth."""
    facts = json.loads((folder / "network.json").read_text())
    times = {int(size): seconds for size, seconds in facts[f"{engine}-2"].items()}
    small, _, large = sorted(times)
    bandwidth = 8 * (large - small) / (times[large] - times[small])
    overhead = facts["python"]["0"]
    if engine == "dask":  # at most: as if the cores had done nothing but the twelve messages
        overhead = (os.cpu_count() or 1) * facts["dask-4"][str(small)] / 12
    return Network(times[small] - overhead, overhead, bandwidth)


def by_mpi(parts: int, step: str, *arguments: Any) -> Any:
    """Run a step of this file on ranks; return what all of them found."""
    mpiexec = Path(sys.executable).parent / "mpiexec"
    command = [mpiexec, "-n", parts, sys.executable, __file__, step, *arguments]
    done = subprocess.run(map(str, command), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@contextmanager
def before_others() -> Iterator[None]:
    """Give what is started here real-time priority, where that is allowed: others may work."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except (AttributeError, PermissionError):
        yield
        return
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def gather(found: Any) -> None:
    """Let rank 0 print what all ranks have found."""
    from mpi4py import MPI

    everything = MPI.COMM_WORLD.gather(found)
    if MPI.COMM_WORLD.rank == 0:
        print(json.dumps(everything))


# ---- Real runs ----------------------------------------------------------------------------------

REPEATS = 3


def solve_by_mpi(path: Path) -> list[tuple[float, float]]:
    """What a rank does: solve a small graph, then that of a folder, several times.

    Returns seconds, and those in exchanges.
    """
    from berge.distributed.mpi import MPICommunicator

    comm = MPICommunicator()
    for graph in (generate.road(30, 30), generate.rmat(9, 8)):
        match_part(Part.from_graph(graph, comm.rank, comm.size), comm, gather=False)
    part = Part.from_folder(path, comm.rank, comm.size)
    seconds = []
    for _ in range(REPEATS):
        comm.comm.Barrier()
        spent = match_part(part, comm, gather=False).stats.seconds
        seconds.append((spent["total"], spent["exchange"]))
    return seconds


def check(folder: Path, names: list[str]) -> None:
    """Solve graphs with a seed of their own on two MPI ranks and two Dask workers."""
    import berge
    from distributed import Client, LocalCluster

    with ExitStack() as stack:
        with before_others():
            cluster = LocalCluster(2, threads_per_worker=1, dashboard_address=":0")
        client = stack.enter_context(Client(stack.enter_context(cluster)))
        for graph in (generate.road(30, 30), generate.rmat(9, 8)):
            berge.maximum_matching(graph, cluster=client)
            run_of(graph, 2)
        for rows, name in product(CHECKED, names or GRAPHS):
            path = folder / f"check-{name}-{rows}.npz"
            if path.exists():
                continue
            graph = GRAPHS[name](rows, SEED)
            source = Path(stack.enter_context(tempfile.TemporaryDirectory()), "graph.berge")
            berge.write(graph, source)
            times: dict[str, list[float]] = {"mpi": [], "dask": [], "mpi_work": []}
            logs = []
            for _ in range(REPEATS):  # in turns: whatever else goes on then hits all of them
                with before_others():
                    ranks = by_mpi(2, "mpi-solve", source)
                    for both in np.moveaxis(np.array(ranks), 0, 1):
                        times["mpi"].append(float(both[:, 0].max()))
                        times["mpi_work"].append(float((both[:, 0] - both[:, 1]).mean()))
                    for _ in range(REPEATS):
                        m = berge.maximum_matching(str(source), cluster=client, gather=False)
                        steps = dict(m.stats.seconds)
                        del steps["total"]  # that of the client
                        times["dask"].append(sum(steps.values()))
                    log, facts = run_of(graph, 2)
                    logs.append(log)
            assert m.cardinality == facts["cardinality"]
            log = min(logs, key=lambda log: float(log.work.sum()))
            facts |= {engine: min(seconds) for engine, seconds in times.items()}
            save(path, log, facts | {"name": name})
            print(f"{path.stem}: MPI {facts['mpi']:.2f} s, Dask {facts['dask']:.2f} s", flush=True)


# ---- What follows -------------------------------------------------------------------------------


def load(path: Path) -> tuple[Log, dict[str, Any]]:
    """Read a log and its facts, and add what is derived from them."""
    with np.load(path) as file:
        log, facts = Log(file["work"], file["sent"]), json.loads(str(file["facts"]))
    parts = facts["parts"]
    facts["fitted"] = facts["rows"] < 5e5 or (facts["rows"] < 1.5e6 and parts <= 16)
    facts["rounds"] = len(log.work)
    facts["quiet"] = float(np.quantile(log.work.max(axis=1), 0.2))  # a round with little to do
    worst = log.bytes.max(axis=1)
    payload = np.maximum(worst - LETTER * (parts - 1), 0)
    facts["bytes"] = float(payload.sum())
    facts["all_bytes"], facts["all_work"] = float(worst.sum()), float(log.work.max(axis=1).sum())
    facts["byte_skew"] = worst.sum() / log.bytes.mean(axis=1).sum()
    facts["work_skew"] = log.work.max(axis=1).sum() / log.work.mean(axis=1).sum()
    facts["tail"] = float(np.mean(np.cumsum(np.sort(payload)) <= 0.01 * payload.sum()))
    facts["cut"] = 1 - facts["local"]
    return log, facts


def table(head: str, rows: list[str]) -> None:
    """Print a table in Markdown."""
    print(f"\n{head}\n{'|---' * (head.count('|') - 1)}|")
    print("\n".join(rows), flush=True)


def brief(value: float, digits: int = 2) -> str:
    """Two digits, without an exponent where that is readable."""
    if value >= 1e5 or (value and value < 1e-3):
        return f"{value:.{digits - 1}e}"
    return f"{float(f'{value:.{digits}g}'):,.15g}"


ETHERNET = 25e9 / 8  # bytes a second of a worker
CORES = 64
MPI_LATENCY, MPI_MESSAGE = 30e-6, 1e-6
DASK_LATENCY = 3e-3
MEMORY = 256e9


def assumed(folder: Path, engine: str, sharing: int) -> Network:
    """The network of the forecasts, for one of so many parts that share a worker's link."""
    here = network_of(folder, engine)
    if engine == "mpi":
        return Network(MPI_LATENCY, MPI_MESSAGE + here.overhead, ETHERNET / sharing)
    return Network(DASK_LATENCY, here.overhead, ETHERNET / sharing)


def report(folder: Path, figure: Path | None) -> None:
    """Print all tables."""
    loaded = [load(path) for path in sorted(folder.glob("[dr]*-*-*-*.npz"))]
    runs = [facts for _, facts in loaded]
    laws = Laws(runs, GRAPHS)
    report_network(folder)
    report_laws(laws)
    report_skew(runs)
    report_tried(runs, laws)
    report_check(folder, laws)
    report_replay(folder, loaded)
    report_forecast(folder, laws)
    report_memory(laws)
    report_limits(folder, laws)
    if figure:
        draw(folder, figure, runs, laws)


def report_network(folder: Path) -> None:
    facts = json.loads((folder / "network.json").read_text())
    rows = []
    for engine in ("mpi-2", "mpi-4", "dask-2", "dask-4"):
        times = {int(size): f"{1e3 * seconds:.3f}" for size, seconds in facts[engine].items()}
        rows.append(f"| {engine} | {' | '.join(times[size] for size in sorted(times))} |")
    table("| ms an exchange | 72 bytes to each | 1 MB to each | 8 MB to each |", rows)
    for engine in ("mpi", "dask"):
        print(f"\n{engine}: {network_of(folder, engine)}")


def report_laws(laws: Laws) -> None:
    per_round, per_part = 1e3 * laws.per_round, 1e6 * laws.per_part
    print(f"\nA round with nothing to do: {per_round:.3f} ms + {per_part:.1f} µs a part")
    quantities = ("rounds", "bytes", "work", "ghosts", "trees", "hub", "cut")
    rows = []
    for name, of in laws.of.items():
        cells = []
        for law in (of[quantity] for quantity in quantities):
            powers = [law.exponents.get(factor, 1.0) for factor in ("m", "p")]
            formula = "·".join(
                f"{letter}^{power:.2f}"
                for letter, power in zip("mp", powers, strict=True)
                if abs(power) >= 0.015
            )
            cells.append(f"{law.coefficient:.2g}·{formula}".strip("·") + f" ×÷ {law.spread:.2f}")
        rows.append(f"| {name} | {' | '.join(cells)} |")
    table(f"| graph | {' | '.join(quantities)} |", rows)


def report_skew(runs: list[dict[str, Any]]) -> None:
    rows = []
    for run in sorted(runs, key=lambda run: (list(GRAPHS).index(run["name"]), run["parts"])):
        if 9e5 < run["rows"] < 2e6:
            rows.append(
                f"| {run['name']} | {run['parts']} | {run['local']:.1%} "
                f"| {run['phases']} | {run['rounds']} "
                f"| {brief(run['all_bytes'] / 1e6)} | {run['byte_skew']:.2f} "
                f"| {run['all_work']:.2f} | {run['work_skew']:.2f} | {run['tail']:.0%} |"
            )
    table(
        "| graph | parts | local | phases | rounds | MB of the worst part | imbalance "
        "| work s of the slowest | imbalance | rounds with 1 % of the bytes |",
        rows,
    )


def report_tried(runs: list[dict[str, Any]], laws: Laws) -> None:
    rows = []
    for run in runs:
        if not run["fitted"]:
            cells = []
            for quantity in ("rounds", "bytes"):
                value, times = laws.value(run["name"], quantity, run["edges"], run["parts"])
                cells.append(f"{brief(run[quantity])} | {value / run[quantity]:.2f} | {times:.1f}")
            local = laws.cost(run["name"], run["edges"], run["parts"], Network(0, 0, np.inf))
            ratio = local.cost.seconds / run["all_work"]
            cells.append(f"{brief(run['all_work'])} | {ratio:.2f} | {local.times:.1f}")
            what = f"{run['name']} | {brief(run['edges'])} | {run['parts']}"
            rows.append(f"| {what} | {' | '.join(cells)} |")
    law = "law / recorded | ×÷"
    table(f"| graph | edges | parts | rounds | {law} | bytes | {law} | local s | {law} |", rows)


def report_check(folder: Path, laws: Laws) -> None:
    rows: list[str] = []
    ratios: dict[str, list[list[float]]] = {"mpi": [], "dask": []}
    found = [load(path) for path in folder.glob("check-*.npz")]
    found.sort(key=lambda pair: pair[1]["edges"])
    for log, facts in found:
        cells = []
        for engine in ("mpi", "dask"):
            network, real = network_of(folder, engine), facts[engine]
            law = laws.cost(facts["name"], facts["edges"], 2, network).cost.seconds
            said = law, predict(log, network).seconds, replay(log, network)
            ratios[engine].append([value / real for value in said])
            cells.append(f"{real:.3f} | " + " | ".join(f"{value / real:.2f}" for value in said))
        beside = facts["mpi_work"] / log.work.mean(axis=1).sum()
        rows.append(
            f"| {facts['name']} | {facts['rows']:,} | {facts['rounds']} | {' | '.join(cells)} "
            f"| {beside:.2f} |"
        )
    both = np.log([ratios["mpi"], ratios["dask"]])
    for label, values in (
        ("geometric mean", both.mean(axis=1)),
        ("lowest", both.min(axis=1)),
        ("highest", both.max(axis=1)),
    ):
        cells = ["| " + " | ".join(f"{v:.2f}" for v in np.exp(engine)) for engine in values]
        rows.append(f"| {label} | | | {' | '.join(cells)} | |")
    said = "law | model | replay"
    table(
        f"| graph | rows | rounds | MPI s | {said} | Dask s | {said} | work beside each other |",
        rows,
    )


def report_replay(folder: Path, loaded: list[tuple[Log, dict[str, Any]]]) -> None:
    rows = []
    for log, facts in sorted(loaded, key=lambda pair: list(GRAPHS).index(pair[1]["name"])):
        if facts["parts"] in (16, 64) and 9e5 < facts["rows"] < 2e6:
            cells = []
            for engine in ("mpi", "dask"):
                network = assumed(folder, engine, 1)
                cost, seconds = predict(log, network), replay(log, network)
                cells.append(
                    f"{cost.rounds:.2f} + {cost.transfer:.2f} + {cost.work:.2f} | {seconds:.2f} "
                    f"| {cost.seconds / seconds:.2f}"
                )
            rows.append(f"| {facts['name']} | {facts['parts']} | {' | '.join(cells)} |")
    table("| graph | parts | MPI: model | replay | ratio | Dask: model | replay | ratio |", rows)


MESHES = ("road", "delaunay")
EFFICIENCY = 0.5  # of the threads of a part, if it had several
WORKERS = (16, 64, 256)
EDGES = (1e9, 1e10, 1e11, 1e12)


def power(value: float) -> str:
    """Write a power of ten."""
    return "10" + str(round(np.log10(value))).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def duration(seconds: float) -> str:
    """Seconds, minutes, hours or days."""
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{brief(seconds / size)} {unit}"
    return f"{brief(seconds)} s"


def report_forecast(folder: Path, laws: Laws) -> None:
    for engine, sharing, speed in (
        ("mpi", CORES, 1),
        ("mpi", 1, 1),
        ("mpi", 1, CORES * EFFICIENCY),
        ("dask", CORES, 1),
        ("dask", 1, CORES * EFFICIENCY),
    ):
        print(f"\n{engine}, {sharing} parts a worker, each {speed:g} times as fast as a core here")
        rows = []
        for name, edges in product(GRAPHS, EDGES):
            cells = []
            for workers in WORKERS:
                parts = workers * sharing
                expected = laws.cost(name, edges, parts, assumed(folder, engine, sharing), speed)
                far = name in MESHES and laws.value(name, "cut", edges, parts)[0] > 0.1
                cells.append(
                    f"{duration(expected.cost.seconds)} ×÷ {expected.times:.1f}, "
                    f"{expected.decides}{' †' if far else ''}"
                )
            rows.append(f"| {name} | {power(edges)} | {' | '.join(cells)} |")
        table(f"| graph | edges | {' | '.join(f'{w} workers' for w in WORKERS)} |", rows)


def report_limits(folder: Path, laws: Laws) -> None:
    """How many parts are too many, and why."""
    rows = []
    network = assumed(folder, "mpi", CORES)
    tried = 2.0 ** np.arange(1, 21)
    for name, edges in product(GRAPHS, EDGES):
        cells = []
        for hops in (1, 2):
            seconds = [laws.cost(name, edges, p, network, hops=hops).cost.seconds for p in tried]
            cells.append(f"{tried[np.argmin(seconds)]:,.0f} | {duration(min(seconds))}")
        hub = edges / laws.value(name, "hub", edges, 16)[0]
        law = laws.of[name]["cut"]
        strips = (0.1 / law(m=edges, p=1)[0]) ** (1 / law.exponents["p"])
        cells.append(f"{brief(hub)} | {brief(strips) if name in MESHES else ''}")
        rows.append(f"| {name} | {power(edges)} | {' | '.join(cells)} |")
    table(
        "| graph | edges | best parts, flat | time | best parts, two hops | time "
        "| a hub fills a part | a tenth of the edges is cut |",
        rows,
    )


def memory(laws: Laws, name: str, edges: float, parts: int) -> tuple[float, float]:
    """Bytes of a part, and of these those that do not shrink with parts."""
    rows = edges / DEGREE[name]
    ghosts = min(laws.value(name, "ghosts", edges, parts)[0], edges / parts, rows)
    trees = min(laws.value(name, "trees", edges, parts)[0], rows)
    wide = rows >= 2**31
    sizes = rows / parts, rows / parts, edges / parts, ghosts
    return part_bytes(*sizes, trees, wide=wide), part_bytes(0, 0, 0, 0, trees, wide=wide)


DEGREE = {"rmat": 7.8, "road": 2.41, "delaunay": 6.0, "random": 4.0}


def report_memory(laws: Laws) -> None:
    rows = []
    for name, edges in product(GRAPHS, EDGES):
        cells = []
        for sharing, workers in product((CORES, 1), WORKERS):
            whole, fixed = (sharing * b for b in memory(laws, name, edges, sharing * workers))
            fits = "" if whole < MEMORY else " ✗"
            cells.append(f"{brief(whole / 1e9)} ({fixed / whole:.0%}){fits}")
        rows.append(f"| {name} | {power(edges)} | {' | '.join(cells)} |")
    head = " | ".join(f"{sharing} × {workers}" for sharing, workers in product((CORES, 1), WORKERS))
    table(f"| graph | edges | {head} |", rows)


def draw(folder: Path, path: Path, runs: list[dict[str, Any]], laws: Laws) -> None:
    """Draw rounds as recorded and by law, and seconds as forecast, over the number of parts."""
    import matplotlib.pyplot as plt

    plt.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "berge", "font.size": 9}
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    parts = 2.0 ** np.arange(1, 15)
    network = assumed(folder, "mpi", CORES)
    for number, name in enumerate(GRAPHS):
        colour = f"C{number}"
        own = [run for run in runs if run["name"] == name and 9e5 < run["rows"] < 1.5e6]
        left.plot([r["parts"] for r in own], [r["rounds"] for r in own], "o", color=colour, ms=4)
        edges = own[0]["edges"]
        law = [laws.value(name, "rounds", edges, p)[0] for p in parts[:7]]
        left.plot(parts[:7], law, color=colour, label=name, lw=1)
        for hops, style in ((1, "-"), (2, ":")):
            costs = [laws.cost(name, 1e10, p, network, hops=hops).cost.seconds for p in parts]
            right.plot(parts, costs, style, color=colour, lw=1)
    left.set(title="rounds, 10⁶ rows: recorded, and the law", xlabel="parts", ylabel="rounds")
    right.set(title="forecast, 10¹⁰ edges: flat, two hops (dotted)")
    right.set(xlabel="parts", ylabel="seconds")
    for axes in (left, right):
        axes.set(xscale="log", yscale="log")
        axes.grid(alpha=0.3)
    left.set(ylim=(30, 3000))
    left.legend(frameon=False, ncols=2, loc="upper left")
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("step")
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="GRAPH")
    parser.add_argument("--figure", type=Path, metavar="SVG")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.step == "record":
        record_all(options.folder, options.names)
    elif options.step == "network":
        measure_network(options.folder, options.names)
    elif options.step == "mpi-network":
        from berge.distributed.mpi import MPICommunicator

        gather(time_exchanges(MPICommunicator()))
    elif options.step == "mpi-solve":
        gather(solve_by_mpi(options.folder))
    elif options.step == "check":
        check(options.folder, options.names)
    elif options.step == "report":
        report(options.folder, options.figure)
    else:
        parser.error(f"no step {options.step!r}")


if __name__ == "__main__":
    main()
