"""What an exchange costs on Dask: milliseconds by the number of workers and the size of the arrays.

    python lab/benchmarks/dask_exchange.py [--workers 2 4] [--exchanges 200]

"links" is what berge uses: connections of Dask between the workers, written to without waiting for
an answer. "actors" is the same done by calls of actors' methods, as a yardstick. Medians of one
process a worker on this machine, in one run; every worker sends an array of that many numbers to
every other.
"""

from __future__ import annotations

import argparse
from collections import deque
from functools import partial
from threading import Condition

import numpy as np

from berge.distributed.worker import WorkerSession
from berge_lab.bench.loop import in_turns
from distributed import Client, LocalCluster, get_worker

SIZES = (1, 1000, 100_000)


class Peer:
    def __init__(self, rank, addresses):
        self.rank, self.size = rank, len(addresses)
        self.session = WorkerSession(get_worker(), f"benchmark-{len(addresses)}", rank, addresses)
        self.boxes, self.changed = [deque() for _ in addresses], Condition()

    def connect(self, peers):
        self.peers = peers
        self.session.links.connect()

    async def deliver(self, rank, array):
        with self.changed:
            self.boxes[rank].append(array)
            self.changed.notify()

    def by_links(self, arrays):
        self.session.links.exchange(arrays)

    def by_actors(self, arrays):
        others = [p for p in range(self.size) if p != self.rank]
        sent = [self.peers[p].deliver(self.rank, arrays[p]) for p in others]
        with self.changed:
            for p in others:
                while not self.boxes[p]:
                    self.changed.wait()
                self.boxes[p].popleft()
        for call in sent:
            call.result()

    def measure(self, how, size, exchanges):
        arrays = [np.arange(size)] * self.size
        call = partial(getattr(self, how), arrays)
        return float(np.median(in_turns({"": call}, exchanges, warm_up=False)[""].seconds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--exchanges", type=int, default=200)
    options = parser.parse_args()
    print("| workers | numbers to each | links, ms | actors, ms |\n|---|---|---|---|")
    for workers in options.workers:
        with (
            LocalCluster(workers, threads_per_worker=1, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            addresses = sorted(client.nthreads())
            futures = [
                client.submit(Peer, rank, addresses, actor=True, workers=[address])
                for rank, address in enumerate(addresses)
            ]
            peers = client.gather(futures)
            for call in [peer.connect(peers) for peer in peers]:
                call.result()
            for size in SIZES:
                times = []
                for how in ("by_links", "by_actors"):
                    calls = [peer.measure(how, size, options.exchanges) for peer in peers]
                    times.append(1e3 * max(call.result() for call in calls))
                print(f"| {workers} | {size:,} | {times[0]:.2f} | {times[1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
