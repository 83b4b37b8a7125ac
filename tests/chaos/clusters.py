"""Faults of clusters, one after the other: what is lost, and whether the answer is right.

    python -m tests.chaos.clusters [--kills 13] [--seed 0]

Three Dask workers, each a process without a nanny, and MPI ranks. Every exchange is slowed down, so
that a solve has a middle; the fault comes after a phase drawn at random. What comes back is
compared with the solve of one machine, and its cover is checked. Prints a line for each kind of
fault; takes some minutes. For a link that is cut, see tests/distributed/test_two_hosts.py.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import tempfile
import threading
import time
from pathlib import Path

import berge

from ..distributed.test_dask import CARDINALITY, GRAPH, Processes, proved, slow
from ..distributed.test_mpi import killed, run

RESTARTS = 6  # all three workers may be lost, and each notices at another time


class Fault:
    """Does something once a phase is over."""

    def __init__(self, phase, do):
        self.phase, self.do, self.done = phase, do, False

    def __call__(self, report):
        if report.phase >= self.phase and not self.done:
            self.done = True
            self.do()


def kill(workers):
    for worker in workers:
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()


def stop(worker, seconds):
    """Stop a process, and let it go on after so many seconds."""
    os.kill(worker.pid, signal.SIGSTOP)
    threading.Timer(seconds, os.kill, (worker.pid, signal.SIGCONT)).start()


def solve(processes, phase, do, **options):
    """Solve on three workers with a fault; return what came back, proved."""
    client = processes.connect(3)
    fault = Fault(phase, lambda: do(processes))
    with slow(client):
        m = berge.maximum_matching(
            GRAPH, cluster=client, init="none", on_phase=fault, prove=True, **options
        )
    assert fault.done
    assert proved(m)
    return m


def workers_of(processes):
    pids = set(processes.client.run(os.getpid).values())
    return [process for process in processes.running if process.pid in pids]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=13)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    print("| fault | times | right and proved | how |\n|---|---|---|---|")

    def tell(fault, times, right, how):
        print(f"| {fault} | {times} | {right} | {how} |", flush=True)

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        processes = Processes(folder)
        try:
            processes.connect(3)
            several(processes, folder, draw, options.kills, tell)
        finally:
            processes.close()
        of_scheduler(folder, tell)
        of_ranks(folder, tell)


def several(processes, folder, draw, kills, tell):
    """Faults of workers."""
    restarts = []
    for _ in range(kills):
        victim = lambda p: kill([draw.choice(workers_of(p))])  # noqa: E731
        m = solve(processes, draw.randint(1, 4), victim)
        restarts.append(m.stats.cluster["restarts"])
    tell("kill -9 of one of three workers", kills, len(restarts), f"restarts: {max(restarts)}")

    m = solve(processes, 2, lambda p: kill(workers_of(p)[:2]), restarts=RESTARTS)
    tell("of two at once", 1, 1, f"on {m.stats.cluster['workers']} worker")

    def all_three(processes):
        kill(workers_of(processes))
        for _ in range(3):
            processes.add_worker()

    saved = folder / "all"
    m = solve(processes, 2, all_three, restarts=RESTARTS, checkpoint=saved)
    tell("of all three, and others come", 1, 1, f"from {m.stats.start_cardinality} edges")

    begin = time.monotonic()
    m = solve(processes, 2, lambda p: stop(workers_of(p)[0], 20.0), restarts=RESTARTS)
    how = f"{time.monotonic() - begin:.0f} s, restarts: {m.stats.cluster['restarts']}"
    tell("a worker stopped for 20 s", 1, 1, how)

    for path in sorted(saved.glob("matching-*.npy")):
        content = bytearray(path.read_bytes())
        content[-1] ^= 1
        path.write_bytes(content)
    try:
        berge.maximum_matching(
            GRAPH, cluster=processes.client, checkpoint=saved, resume=True, prove=True
        )
        raise AssertionError("a damaged checkpoint was gone on from")
    except berge.CheckpointError as error:
        tell("a damaged checkpoint", 1, "", f"an error: {str(error).replace(str(saved), 'saved')}")


def of_scheduler(folder, tell):
    """The scheduler is killed: nobody can go on, and the call says so."""
    (folder / "other").mkdir()
    processes = Processes(folder / "other")
    try:
        client = processes.connect(2)
        fault = Fault(1, lambda: kill(processes.running[:1]))
        try:
            with slow(client):
                berge.maximum_matching(GRAPH, cluster=client, init="none", on_phase=fault)
            raise AssertionError("it went on without a scheduler")
        except berge.ClusterError as error:
            tell("kill -9 of the scheduler", 1, "", f"an error: {error}")
        except OSError as error:
            tell("kill -9 of the scheduler", 1, "", f"{type(error).__name__}: {error}")
    finally:
        processes.close()


def of_ranks(folder, tell):
    """A rank is killed, and others go on from the checkpoint."""
    road = berge.generate.road(40, 40)
    best = berge.maximum_matching(road).cardinality
    berge.write(road, folder / "road.berge")
    for ranks in (2, 4, 1):
        saved = folder / f"ranks-{ranks}"
        saved.mkdir()
        killed(folder, saved, 3, 1)
        out = folder / f"out-{ranks}.npz"
        done = run(
            ranks, "match", folder / "road.berge", "-o", out, "--checkpoint", saved, "--resume"
        )
        assert done.returncode == 0, done.stderr
        m = berge.Matching.load(out)
        assert m.prove(road).size == m.cardinality == best
    tell("kill -9 of one of three ranks, and --resume", 3, 3, "on 2, 4 and 1 ranks")


if __name__ == "__main__":
    assert CARDINALITY > 0
    main()
