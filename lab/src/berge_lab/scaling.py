"""What a solve in parts costs: a formula, a replay of recorded exchanges, and how both grow.

A solve is a sequence of rounds: local work, then an exchange in which every part sends a message to
every other one. The *model* (`predict`) adds up the worst part of each round:

    seconds = rounds × latency(p) + bytes / bandwidth + work,    latency(p) = L + o · (p − 1)

L is the time that a message is on its way, o what it costs its sender, whatever its size, and p the
number of parts. Bytes are those of the part that sends or receives most in a round, work the
seconds of the slowest part.

The *replay* (`replay`) has a clock for every part. A part works and sends its messages one after
the other, to the next part first. It takes in the messages of the others one at a time, and goes on
when all are in. Where all parts are alike, model and replay agree. Else the replay may be quicker,
since a part that waits for one peer does not wait for another as well. Or it may be slower, since
messages queue up at a receiver.

`PowerLaw.fit` tells how a quantity grows with others, such as rounds with edges and parts. `Laws`
are those of all quantities by kind of graph, and forecast solves of larger ones.

References: D. Culler et al., "LogP: towards a realistic model of parallel computation", PPoPP 1993;
A. Alexandrov et al., "LogGP", SPAA 1995.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from berge.distributed.communicator import Array, Communicator, run_threads
from berge.distributed.part_run import PartRun, Record

__all__ = ["LETTER", "Cost", "Forecast", "Laws", "Log", "Network", "PowerLaw", "part_bytes",
           "predict", "record", "replay"]  # fmt: skip

LETTER = 72  # bytes of a message of the search that says nothing
_QUANTITIES = ("rounds", "bytes", "ghosts", "trees", "hub", "cut")
Floats = npt.NDArray[np.float64]
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Network:
    """What joins the parts.

    Attributes
    ----------
    latency
        Seconds that a message is on its way.
    overhead
        Seconds that a message costs its sender, whatever its size.
    bandwidth
        Bytes a second that a part can send and, at the same time, receive.
    """

    latency: float
    overhead: float
    bandwidth: float

    def exchange(self, parts: int) -> float:
        """Return the seconds of an exchange of empty messages."""
        return self.latency + self.overhead * (parts - 1) if parts > 1 else 0.0


class Log(NamedTuple):
    """What all parts recorded.

    Attributes
    ----------
    work
        Seconds of local work before exchange k of part r, at ``[k, r]``.
    sent
        Bytes that part r sends to part q in exchange k, at ``[k, r, q]``; to itself is for free.
    """

    work: Floats
    sent: Array

    @classmethod
    def of(cls, logs: Sequence[Sequence[Record]]) -> Log:
        """Join the logs of all parts."""
        work = np.array([[entry.work for entry in log] for log in logs])
        sent = np.array([[entry.sent for entry in log] for log in logs], np.int64)
        return cls(work.T, sent.transpose(1, 0, 2))

    @property
    def bytes(self) -> Array:
        """Bytes that each part sends to others or receives in each exchange, whichever is more."""
        own = np.einsum("krr->kr", self.sent)
        both = np.maximum(self.sent.sum(axis=2), self.sent.sum(axis=1))
        return np.asarray(both - own, np.int64)


class Cost(NamedTuple):
    """Seconds by what they are spent on."""

    rounds: float
    transfer: float
    work: float

    @property
    def seconds(self) -> float:
        """All of it."""
        return self.rounds + self.transfer + self.work


def predict(log: Log, network: Network) -> Cost:
    """Return what the model says of a log.

    Examples
    --------
    Two rounds of three parts, one of which works twice as long as the others:

    >>> import numpy as np
    >>> from berge_lab.scaling import Log, Network, predict
    >>> log = Log(np.array([[1.0, 1.0, 2.0], [2.0, 1.0, 1.0]]), np.full((2, 3, 3), 500))
    >>> predict(log, Network(latency=0.25, overhead=0.125, bandwidth=1000.0))
    Cost(rounds=1.0, transfer=2.0, work=4.0)
    """
    rounds, parts = log.work.shape
    transfer = float(log.bytes.max(axis=1).sum()) / network.bandwidth
    return Cost(rounds * network.exchange(parts), transfer, float(log.work.max(axis=1).sum()))


def replay(log: Log, network: Network) -> float:
    """Return the seconds after which the last part is done, by a clock for every part.

    Examples
    --------
    In the log of `predict`, who is slow in one round is not in the other, and nobody waits twice:

    >>> import numpy as np
    >>> from berge_lab.scaling import Log, Network, replay
    >>> log = Log(np.array([[1.0, 1.0, 2.0], [2.0, 1.0, 1.0]]), np.full((2, 3, 3), 500))
    >>> replay(log, Network(latency=0.25, overhead=0.125, bandwidth=1000.0))
    6.5
    """
    parts = log.work.shape[1]
    ranks = np.arange(parts)
    # Message j of part r goes to part r + j; message j to part q comes from part q − j.
    to = (ranks[:, None] + ranks[None, 1:]) % parts
    source = (ranks[:, None] - ranks[None, 1:]) % parts
    clock = np.zeros(parts)
    for work, sent in zip(log.work, log.sent, strict=True):
        clock += work
        spent = np.cumsum(network.overhead + sent[ranks[:, None], to] / network.bandwidth, axis=1)
        left = clock[:, None] + spent  # when the last byte of message j of part r has left
        arrival = left[source, ranks[None, :-1]] + network.latency
        order = np.argsort(arrival, axis=1, kind="stable")
        arrival = np.take_along_axis(arrival, order, axis=1)
        taking = np.take_along_axis(sent[source, ranks[:, None]] / network.bandwidth, order, axis=1)
        # A message is in when it has arrived, and its bytes were taken in after those before it.
        taken = np.cumsum(taking, axis=1)
        done = taken + np.maximum.accumulate(arrival - taken, axis=1)
        if parts > 1:
            clock = np.maximum(left[:, -1], done[:, -1])
    return float(clock.max())


@dataclass(frozen=True)
class PowerLaw:
    """``coefficient · Π factor ** exponent``, fitted to logarithms by least squares.

    Attributes
    ----------
    exponents
        By the name of the factor.
    spread
        Residual standard deviation, as a factor: 1.1 is ten per cent up or down.
    """

    coefficient: float
    exponents: dict[str, float]
    spread: float
    _inverse: Floats = field(repr=False)

    @classmethod
    def fit(cls, values: Sequence[float], factors: Mapping[str, Sequence[float]]) -> PowerLaw:
        """Fit to values that were seen at some factors.

        Examples
        --------
        >>> from berge_lab.scaling import PowerLaw
        >>> law = PowerLaw.fit([6, 12, 24, 12], {"n": [1, 2, 4, 1], "p": [1, 1, 1, 4]})
        >>> {name: round(exponent, 6) for name, exponent in law.exponents.items()}
        {'n': 1.0, 'p': 0.5}
        >>> value, times = law(n=100, p=16)
        >>> round(value), round(times, 6)
        (2400, 1.0)
        """
        x = np.column_stack([np.ones(len(values)), *(np.log(f) for f in factors.values())])
        y = np.log(values)
        inverse = np.linalg.inv(x.T @ x)
        constant, *exponents = (solution := inverse @ x.T @ y).tolist()
        free = max(1, len(values) - x.shape[1])
        deviation = float(np.sqrt(((y - x @ solution) ** 2).sum() / free))
        return cls(
            float(np.exp(constant)),
            dict(zip(factors, exponents, strict=True)),
            float(np.exp(deviation)),
            inverse,
        )

    def __call__(self, **factors: float) -> tuple[float, float]:
        """Return the value at some factors, and the factor by which it may be off, up or down.

        That is two standard errors of a new observation: the farther from what was seen, the more.
        It knows nothing of what changes with size.
        """
        x = np.array([1.0, *(np.log(factors[name]) for name in self.exponents)])
        value = self.coefficient * np.prod([factors[f] ** e for f, e in self.exponents.items()])
        deviation = np.log(self.spread) * np.sqrt(1 + x @ self._inverse @ x)
        return float(value), float(np.exp(2 * deviation))


class Forecast(NamedTuple):
    """What is expected, and two standard errors below and above."""

    cost: Cost
    low: Cost
    high: Cost

    @property
    def decides(self) -> str:
        """Name the largest term."""
        return max(Cost._fields, key=lambda term: getattr(self.cost, term))

    @property
    def times(self) -> float:
        """How many times more or less it may be."""
        return max(self.high.seconds / self.cost.seconds, self.cost.seconds / self.low.seconds)


class Laws:
    """How everything grows with edges and parts, by kind of graph.

    Takes facts of recorded runs; those with ``fitted`` are fitted to. Seconds of work are a part
    that comes with every round, and one that is linear in the edges.
    """

    def __init__(self, runs: Sequence[dict[str, Any]], names: Iterable[str]):
        fitted = [run for run in runs if run["fitted"]]
        parts = sorted({run["parts"] for run in fitted})
        quiet = [np.median([run["quiet"] for run in fitted if run["parts"] == p]) for p in parts]
        self.per_part, self.per_round = np.polyfit(parts, quiet, 1).tolist()
        self.of: dict[str, dict[str, PowerLaw]] = {}
        for name in names:
            own = [run for run in fitted if run["name"] == name]
            factors = {"m": [run["edges"] for run in own], "p": [run["parts"] for run in own]}
            for run in own:
                run["work"] = self.net(run)
            self.of[name] = {
                quantity: PowerLaw.fit([max(run[quantity], 1e-9) for run in own], factors)
                for quantity in _QUANTITIES
            }
            # Work is linear in the edges, once they do not fit in the cache. Where it is little
            # beside the rounds, as of small graphs in many parts, there is nothing to see.
            large = [
                run for run in own if run["rows"] > 2e5 and run["work"] > 0.3 * run["all_work"]
            ]
            each = [run["work"] / run["edges"] for run in large]
            self.of[name]["work"] = PowerLaw.fit(each, {"p": [run["parts"] for run in large]})

    def quiet(self, parts: float) -> float:
        """Seconds of a round in which there is next to nothing to do."""
        return float(self.per_round + self.per_part * parts)

    def net(self, run: dict[str, Any]) -> float:
        """Seconds of work in a run besides those."""
        return max(float(run["all_work"] - run["rounds"] * self.quiet(run["parts"])), 1e-3)

    def value(self, name: str, quantity: str, edges: float, parts: float) -> tuple[float, float]:
        """Return a quantity, and how many times more or less it may be."""
        if quantity == "work":
            each, times = self.of[name]["work"](p=parts)
            return each * edges, times
        return self.of[name][quantity](m=edges, p=parts)

    def cost(
        self,
        name: str,
        edges: float,
        parts: float,
        network: Network,
        speed: float = 1,
        hops: int = 1,
    ) -> Forecast:
        """Forecast a solve.

        `speed` is that of a part's work against one core here. With several `hops` a part has peers
        in as many directions, and messages are passed on.
        """
        found = [self.value(name, what, edges, parts) for what in ("rounds", "bytes", "work")]
        messages = hops * (parts ** (1 / hops) - 1)
        costs = []
        for sign in (0, -1, 1):
            rounds, payload, work = (value * times**sign for value, times in found)
            sent = hops * payload + rounds * LETTER * (parts - 1) * hops
            each = hops * network.latency + network.overhead * messages + self.quiet(messages + 1)
            costs.append(Cost(rounds * each, sent / network.bandwidth, work / speed))
        return Forecast(*costs)


class _Turns(PartRun):
    """A recorder whose part works only while it has the turn, by the clock of its thread."""

    def __init__(self, comm: Communicator, turn: threading.Lock):
        super().__init__(comm)
        self.turn = turn
        turn.acquire()
        self.since = time.thread_time()

    def exchange(self, arrays: Sequence[Array], flag: int = 0) -> tuple[list[Array], int]:
        work = time.thread_time() - self.since
        sent = tuple(array.nbytes for array in arrays)
        self.log.append(Record(self.step, work, 0.0, sent, flag))
        self.turn.release()
        try:
            return self.comm.exchange(arrays, flag)
        finally:
            self.turn.acquire()
            self.since = time.thread_time()


def record(parts: int, work: Callable[[PartRun], _Result]) -> tuple[Log, list[_Result]]:
    """Run parts in this process, one at a time, and log what each did; however few cores there are.

    Examples
    --------
    >>> import berge
    >>> from berge.distributed.core import match_part
    >>> from berge_lab.scaling import record
    >>> from berge.distributed.part import Part
    >>> graph = berge.generate.chain(1000)
    >>> parts = [Part.from_graph(graph, rank, 4) for rank in range(4)]
    >>> log, results = record(4, lambda comm: match_part(parts[comm.rank], comm))
    >>> log.work.shape == (results[0].stats.exchanges, 4)
    True
    """
    turn = threading.Lock()

    def take_turns(comm: Communicator) -> tuple[list[Record], _Result]:
        recorder = _Turns(comm, turn)
        try:
            return recorder.log, work(recorder)
        finally:
            turn.release()

    logs, results = zip(*run_threads(parts, take_turns), strict=True)
    return Log.of(logs), list(results)


def part_bytes(
    rows: float, cols: float, edges: float, ghosts: float, trees: float, *, wide: bool = False
) -> float:
    """Return about how many bytes one part's arrays take while it searches.

    Parameters
    ----------
    rows, cols, edges, ghosts
        Of the part; as many of its columns are taken to be ghosts of others as it has ghosts.
    trees
        Unmatched rows of the whole graph after the start: what does not shrink as parts are added.
    wide
        Whether vertices are numbered by 64 bits, as from 2³¹ on.
    """
    index = 8 if wide else 4
    part = index * (rows + edges)
    halo = 2 * index * edges + index * (cols + ghosts) + 8 * (ghosts + cols + ghosts)
    search = (8 + 2 * index) * rows + (9 + 4 * index) * cols + (1 + 2 * index) * ghosts
    return part + halo + search + (1 + index) * trees
