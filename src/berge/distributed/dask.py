"""`maximum_matching` and `greedy_matching` on a Dask cluster: what the client does.

In each attempt there is an actor (`Member`) on every worker. The client hands them the pieces of
the graph, where they do not read it themselves. Then they match among themselves, and the client
only asks how it goes.

A worker that is lost ends the attempt for all. The next attempt is on the workers that are left, or
on their replacements. It goes on from the checkpoint. Without one it goes on from the last phase
that all members finished, as far as the surviving members have kept it: part of a valid matching is
a valid matching.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..errors import ClusterError, OptionError, PeerLost
from ..files.remote import is_url
from ..methods.registry import check_numbers
from ..results.greedy_matching import GreedyMatching
from ..results.interrupts import held_interrupts
from ..results.matching import Matching, SolveStats
from ..results.proof import Certificate
from ..results.under_way import PhaseReport, UnderWay
from ..solve.default import EXACT_IN_PARTS, choose_greedy
from ..solve.greedy import BLUE, options_of
from ..wording import in_bytes

if TYPE_CHECKING:
    from distributed import Client

    from .core import PartStats
    from .sources import Source
    from .worker import Job, Progress

RESTARTS = 3
_GRACE = 5.0  # seconds that a replacement has to come
_LONG_GRACE = 60.0  # the same, where nobody is left, and that all workers have to come at first
_ASK = 0.05  # seconds between two questions to part 0
_CHECK = 1.0  # seconds between two looks at the list of workers
_PATIENCE = 120.0  # seconds after which a worker that does not answer is lost, listed or not
_SILENCE = 1.0  # seconds after which progress tells what is waited for
_CRITICAL = 50  # level of logs: what is wrong, we say ourselves


def solve_on_cluster(
    source: Any,
    cluster: Any,
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    output: str | os.PathLike[str] | None = None,
    prove: bool = False,
    init: str = "auto",
    threads: int | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    progress: bool = False,
    on_phase: Callable[[PhaseReport], object] | None = None,
    workers: int = 1,
    restarts: int = RESTARTS,
    left: Any = None,
    right: Any = None,
    shape: tuple[int, int] | None = None,
    **options: Any,
) -> Matching:
    """Find a maximum matching on a Dask cluster; see `maximum_matching`.

    Parameters
    ----------
    source
        A ``.berge`` folder or Parquet files that all workers see, a Dask dataframe of edges, or
        anything that `as_bipartite` takes.
    cluster
        Address of a scheduler, a `distributed.Client`, a cluster object, or ``"local[4]"``.
    checkpoint
        Folder on storage that all workers share, to save the matching in after every phase. One
        that holds a checkpoint is refused without `resume`.
    resume
        Go on from the checkpoint if there is one, whatever the number of workers was.
    output
        Folder to write the matching to, by parts; it is not gathered then, and what is returned
        is a `berge.results.stored.StoredMatching`.
    prove
        Have the workers prove the result, with nothing gathered: ``certificate`` is there then.
    init
        The start: ``"within-parts"``, ``"karp-sipser"``, ``"greedy"`` or ``"none"``.
    threads
        Threads of kernels on each worker; by default as many as Dask runs tasks there.
    seed, time_limit, progress, on_phase
        As on one machine.
    workers
        How many workers to wait for before it begins, for a minute at most, and no longer than
        `time_limit`; it takes all there are.
    restarts
        How many times to begin again after a worker was lost.
    left, right, shape
        Of tables of edges: the two columns, and the numbers of rows and columns of the graph.
    **options
        ``exhaust``, ``alpha`` and ``gather``, see `berge.distributed.core.match_part`.
    """
    from .session import check_options

    way = UnderWay(time_limit=time_limit, on_phase=on_phase)
    check_numbers(seed, time_limit)
    options = check_options(init, options) | {"seed": seed, "resume": resume}
    if resume and checkpoint is None:
        raise OptionError("resume=True needs checkpoint=")
    for name, folder in {"checkpoint": checkpoint, "output": output}.items():
        if is_url(folder):
            raise OptionError(f"{name} is a folder that all workers see, not the URL {folder}")
    options["checkpoint"] = None if checkpoint is None else os.path.abspath(checkpoint)
    job: dict[str, Any] = {"options": options, "threads": threads, "prove": prove}
    if output is not None:
        from ..files.parts import check_place

        check_place(output)
        job["output"] = os.path.abspath(output)

    from .sources import open_source

    opened = partial(open_source, source, left, right, shape)
    return cast("Matching", _solve(cluster, opened, job, way, progress, workers, restarts))


def greedy_on_cluster(
    source: Any,
    cluster: Any,
    *,
    method: str = "auto",
    weights: Any = None,
    left: Any = None,
    right: Any = None,
    prove: bool = False,
    output: str | os.PathLike[str] | None = None,
    seed: int = 0,
    p: float = BLUE,
    threads: int | None = None,
    time_limit: float | None = None,
    progress: bool = False,
    on_phase: Callable[[PhaseReport], object] | None = None,
    workers: int = 1,
    restarts: int = RESTARTS,
) -> GreedyMatching:
    """Find a maximal matching on a Dask cluster, checked by the workers; see `greedy_matching`.

    Parameters
    ----------
    source
        A ``.berge`` folder that all workers see, or anything that `as_graph` takes. With `left` and
        `right`, a table of pairs: Parquet files that all workers see, a Dask dataframe, or a frame.
    left, right
        Names of the columns with the labels of two lists: whole numbers, or texts.
    prove
        Bound what any matching weighs, by prices that the workers check.
    output
        A folder to write the pairs of two lists to: a Parquet file a worker, a row a pair. They
        are not gathered then, and ``mate`` is empty.
    cluster, threads, time_limit, progress, on_phase, workers, restarts
        As of `solve_on_cluster`. A solve that lost a worker begins anew.
    method, p, seed
        As of `berge.distributed.greedy.greedy_part`.
    weights
        As of `as_graph`; a folder has none. The name of a column of a table.
    """
    way = UnderWay(time_limit=time_limit, on_phase=on_phase)
    check_numbers(seed, time_limit)
    choose_greedy(method, False, in_parts=True)
    options_of(choose_greedy("proposals", False), p)
    options: dict[str, Any] = {"method": method, "p": p, "seed": seed, "prove": prove}
    if output is not None:
        if left is None or right is None:
            raise OptionError("output is for pairs between two lists: name left and right")
        options["output"] = str(output) if is_url(output) else os.path.abspath(output)
        if not is_url(output):
            from ..files.parts import check_pairs_place

            check_pairs_place(output)

    from .sources import open_undirected

    opened = partial(open_undirected, source, weights, left, right)
    job = {"options": options, "threads": threads, "greedy": True}
    return cast("GreedyMatching", _solve(cluster, opened, job, way, progress, workers, restarts))


def _solve(
    cluster: Any,
    opened: Callable[[], Source],
    job: dict[str, Any],
    way: UnderWay,
    progress: bool,
    workers: int,
    restarts: int,
) -> Any:
    """Solve on a cluster; return a matching, or raise KeyboardInterrupt where there is none yet."""
    threads = 1 if job["threads"] is None else job["threads"]
    counts = ("threads", threads, 1), ("workers", workers, 1), ("restarts", restarts, 0)
    for name, value, least in counts:
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise OptionError(f"{name} must be a whole number from {least} on, not {value!r}")
    matching = None
    with ExitStack() as stack:
        with way.timed("connect"):
            client = stack.enter_context(_client(cluster, progress))
        stack.enter_context(client.as_current())  # actors are bound to the client that is
        from .worker import Job

        source = opened()
        solve = _Solve(client, source, Job(source.make_part, **job), way, progress)
        with way.running(progress):
            matching = solve.run(workers, restarts)
        with held_interrupts():  # there is something to lose
            stack.close()
    if matching is None:
        raise KeyboardInterrupt
    return matching


@contextmanager
def _client(cluster: Any, progress: bool) -> Iterator[Client]:
    """Connect to a cluster, or start one on this machine."""
    try:
        import distributed
    except ImportError:
        raise OptionError("cluster= needs Dask: pip install 'berge[dask]'") from None
    if isinstance(cluster, distributed.Client):
        if cluster.asynchronous:
            raise OptionError("cluster must be a synchronous Client, not one of an event loop")
        yield cluster
        return
    if not isinstance(cluster, str) and not hasattr(cluster, "scheduler_address"):
        raise OptionError(
            "cluster must be the address of a Dask scheduler, a Client, or 'local[N]', "
            f"not {type(cluster).__name__}"
        )
    where = cluster if isinstance(cluster, str) else cluster.scheduler_address
    with ExitStack() as stack:
        if isinstance(cluster, str) and ":" not in cluster:
            found = re.fullmatch(r"local(?:\[(\d+)\])?", cluster)
            if not found or found[1] == "0":
                raise OptionError(
                    f"cluster={cluster!r}: write 'local[4]' for four workers on this machine, or "
                    "the address of a Dask scheduler, such as 'tcp://host:8786'"
                )
            yield stack.enter_context(_local(int(found[1] or os.cpu_count() or 1)))
            return
        try:
            with _telling(f"waiting for the scheduler at {where}", progress):
                client = stack.enter_context(distributed.Client(cluster))
        except (OSError, ValueError) as error:
            raise ClusterError(f"no Dask scheduler at {where}: {error}") from None
        if isinstance(cluster, str):
            stack.callback(_hush, client)
        yield client


@contextmanager
def _local(workers: int) -> Iterator[Client]:
    """Start a scheduler in this process, and workers by Dask's command.

    Processes of `multiprocessing` would run the caller's script again, unless it is guarded. These
    have a session of their own, so that Ctrl-C, which a terminal sends to all of one, is ours.
    """
    import distributed

    threads = max(1, (os.cpu_count() or 1) // workers)
    with ExitStack() as stack:
        cluster = stack.enter_context(
            distributed.LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=_CRITICAL)
        )
        client = stack.enter_context(distributed.Client(cluster))
        log = stack.enter_context(tempfile.TemporaryFile())
        command = [sys.executable, "-P", "-m", "distributed.cli.dask_worker"]
        command += [cluster.scheduler_address, "--host", "127.0.0.1", "--no-dashboard"]
        command += ["--nworkers", str(workers), "--nthreads", str(threads)]
        command += ["--memory-limit", f"{1 / workers:.6f}", "--death-timeout", str(_LONG_GRACE)]
        modules = os.pathsep.join(path or os.getcwd() for path in sys.path)
        started = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=os.environ | {"PYTHONPATH": modules},
            start_new_session=True,
        )
        stack.callback(_end, started)
        stack.callback(_hush, client)
        deadline = time.perf_counter() + _LONG_GRACE
        while len(listed(client)) < workers:
            if started.poll() is not None or time.perf_counter() > deadline:
                log.seek(0)
                last = log.read().decode(errors="replace").strip().rpartition("\n")[2]
                raise ClusterError(f"the workers of this machine did not start: {last}")
            time.sleep(_ASK)
        yield client


def _hush(client: Client) -> None:
    """Let nobody complain of calls that Ctrl-C has left without an answer; the loop ends too."""
    client.loop.asyncio_loop.set_exception_handler(lambda loop, context: None)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Have Dask's command end its workers."""
    process.terminate()
    try:
        process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def _telling(what: str, progress: bool) -> Iterator[None]:
    """Print what a block waits for, if it does for long."""
    timer = threading.Timer(_SILENCE, print, [what], {"file": sys.stderr, "flush": True})
    timer.daemon = True
    if progress:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


@dataclass
class _Solve:
    """Attempts at one solve."""

    client: Client
    source: Source
    job: Job
    way: UnderWay
    progress: bool
    restarts: int = 0

    def run(self, wanted: int, restarts: int) -> Any:
        """Try until it works, or too often."""
        lost = set[str]()
        for_memory = 0  # times that a worker was ended for what it took
        kept: _Attempt | None = None  # the last one whose members kept something
        try:
            while True:
                waiting = f"waiting for workers, at least {wanted}"
                with self.way.timed("connect"), _telling(waiting, self.progress):
                    addresses = self._workers(wanted, lost)
                wanted = len(addresses)
                over: _Attempt | None = (attempt := _Attempt(self, addresses))
                try:
                    return attempt.run(self.job)
                except PeerLost as error:
                    if (why := attempt.killed_for_memory()) is not None:
                        for_memory += 1
                        if for_memory > 1 or self.restarts >= restarts:
                            raise ClusterError(why) from None
                    if self.restarts >= restarts:
                        raise ClusterError(
                            f"a worker was lost {self.restarts + 1} times, the last time: {error}"
                        ) from None
                    self.restarts += 1
                    if "resume" in self.job.options:
                        # What is in the folder is of this call, or was to be gone on from.
                        self.job.options["resume"] = True
                    phase = attempt.last_phase()
                    lost = attempt.unreachable
                    if phase is not None:
                        self.job.before = attempt.name, phase
                        over, kept = kept, attempt
                finally:
                    if over is not None:
                        over.close()
        finally:
            if kept is not None:
                kept.close()

    def _workers(self, wanted: int, lost: set[str]) -> list[str]:
        """Return the workers there are; wait a little for as many as are wanted."""
        patience = min(_LONG_GRACE, self.way.left)
        grace, waiting = min(_GRACE, patience), UnderWay()
        while True:
            addresses = sorted(a for a in listed(self.client) if a not in lost)
            waited = waiting.elapsed
            if len(addresses) >= wanted or (addresses and self.restarts and waited > grace):
                return addresses
            if waited > patience:
                raise ClusterError(
                    f"the cluster has {len(addresses)} workers of {wanted} after {waited:.0f} s"
                )
            time.sleep(0.1)


class _Attempt:
    """One session: the same members from the beginning to the end."""

    def __init__(self, solve: _Solve, addresses: list[str]):
        self.solve, self.client, self.addresses = solve, solve.client, addresses
        self.name = uuid.uuid4().hex
        self.members: dict[str, Any] = {}
        self._futures: list[Any] = []  # without these Dask lets go of the actors
        self.unreachable: set[str] = set()
        self.told: dict[str, Progress] = {}  # what each has said last
        self.ended = len(self._ended())

    def run(self, job: Job) -> Any:
        """Have the members do the job, and make a matching of what they have in the end."""
        from distributed.protocol.pickle import dumps

        from .worker import Member, fetch, give

        try:
            members = self._tasks(
                (address, Member, self.name, rank, self.addresses)
                for rank, address in enumerate(self.addresses)
            )
        except ImportError as error:
            raise ClusterError(f"the workers cannot import berge: {error}") from None
        self.members = dict(zip(self.addresses, members, strict=True))
        pieces = self.solve.source.pieces(self.client, self.addresses)
        self._tasks(
            (address, give, self.name, piece)
            for address, its in zip(self.addresses, pieces, strict=True)
            for piece in its
        )
        del pieces
        way = self.solve.way
        limit = None if way.time_limit is None else max(0.0, way.left)
        self._ask("start", dumps(replace(job, time_limit=limit)))
        self._watch()
        gathered = job.output is None and job.options.get("output") is None
        calls = [(address, fetch, self.name, gathered) for address in self.addresses]
        try:
            fetched = self._tasks(calls)
        except KeyboardInterrupt:  # too late: it is over, and only to be fetched
            fetched = self._tasks(calls)
        stats = [told for _, told in fetched]
        joined = {
            name: np.concatenate([arrays[name] for arrays, _ in fetched]) for name in fetched[0][0]
        }
        seconds = way.seconds | stats[0].seconds | {"total": way.elapsed}
        stats[0] = replace(stats[0], seconds=seconds)
        if job.greedy:
            if not gathered:
                return stats[0].joined(np.zeros(0, np.int64))
            return stats[0].joined(*_left_first(joined))
        return _matching(joined, stats, self.solve)

    def _watch(self) -> None:
        """Wait until all members are done, and pass on reports. Ctrl-C has them stop."""
        way, looked, interrupted = self.solve.way, time.perf_counter(), False
        while True:
            try:
                states = self._progress(self.addresses[:1])
                for report in () if interrupted else states[0].reports:
                    way.tell(report.step, report.phase, report.cardinality, report.upper_bound)
                if states[0].done or time.perf_counter() > looked + _CHECK:
                    states += self._progress(self.addresses[1:])
                    looked = time.perf_counter()
                errors = [state.error for state in states if state.error is not None]
                if errors:
                    # A part that is lost is lost for a reason, which another part may know.
                    yet = (error for error in errors if not isinstance(error, PeerLost))
                    raise next(yet, errors[0])
                if len(states) == len(self.addresses) and all(state.done for state in states):
                    return
                time.sleep(_ASK)
            except KeyboardInterrupt:
                if interrupted:
                    raise
                interrupted = True
                self._ask("stop")

    def _progress(self, addresses: Sequence[str]) -> list[Progress]:
        from distributed.protocol.pickle import loads

        states = [loads(answer) for answer in self._ask("progress", of=addresses)]
        self.told.update(zip(addresses, states, strict=True))
        return states

    def _ended(self) -> list[dict[str, Any]]:
        """Return what Dask's nannies say of workers that they have ended for their memory."""
        with suppress(OSError, ValueError, TypeError, RuntimeError):
            return [event for _, event in self.client.get_events("worker-restart-memory")]
        return []

    def killed_for_memory(self) -> str | None:
        """Tell whether a worker of this attempt was ended for its memory, and what it needs."""
        deadline = time.perf_counter() + _CHECK
        while True:
            events = self._ended()[self.ended :]
            event = next((e for e in events if e["worker"] in self.addresses), None)
            if event is not None:
                break
            if time.perf_counter() > deadline:
                return None
            time.sleep(_ASK)
        address, told = event["worker"], self.told.get(event["worker"])
        limit = f" of the {in_bytes(told.limit)} that it may have" if told and told.limit else ""
        needs = "it was reading the graph"
        if told is not None and told.needed:
            needs = f"its part of the graph takes about {in_bytes(told.needed)}"
        return (
            f"worker {address} was ended by Dask for its memory: it had {in_bytes(event['rss'])}"
            f"{limit}, and {needs}; use more workers, or a larger --memory-limit"
        )

    def last_phase(self) -> int | None:
        """End the members that are left; return the last phase that all of them have kept."""
        kept: list[set[int]] = []
        for address in self.members:
            with suppress(PeerLost):
                self._ask("leave", of=[address])
                while not (state := self._progress([address])[0]).done:
                    time.sleep(_ASK)
                kept.append(set(state.kept))
        common = set.intersection(*kept) if kept else set()
        return max(common, default=None)

    def close(self) -> None:
        """Have the members forget everything."""
        for address in self.members:
            if address not in self.unreachable:
                with suppress(ClusterError):
                    self._ask("close", of=[address])
        self.members, self._futures = {}, []

    def _ask(self, method: str, *args: Any, of: Sequence[str] | None = None) -> list[Any]:
        """Call a method of some members, or all; PeerLost if one of them cannot answer."""
        addresses = list(self.members) if of is None else of
        calls = []
        for address in addresses:
            with self._losing(address):
                calls.append(getattr(self.members[address], method)(*args))
        answers = []
        for address, call in zip(addresses, calls, strict=True):
            with self._losing(address):
                asked = time.perf_counter()
                while not call.done():
                    try:
                        call.result(timeout=_CHECK)
                    except TimeoutError:
                        if time.perf_counter() > asked + _PATIENCE:
                            raise
                        self._check_workers()
                answers.append(call.result())
        return answers

    @contextmanager
    def _losing(self, address: str) -> Iterator[None]:
        """Turn what Dask raises when an actor's worker is gone into `PeerLost`."""
        try:
            yield
        except (OSError, RuntimeError, KeyError) as error:
            if isinstance(error, ClusterError):
                raise
            self.unreachable.add(address)
            raise PeerLost(f"worker {address} is gone: {error}") from None

    def _tasks(self, calls: Iterable[tuple[Any, ...]]) -> list[Any]:
        """Call functions on workers; a class becomes an actor. PeerLost if one is gone."""
        futures = [
            self.client.submit(
                function, *args, workers=[address], pure=False, actor=isinstance(function, type)
            )
            for address, function, *args in calls
        ]
        if not self._futures:
            self._futures = futures
        gather = self.client.gather(futures, asynchronous=True)
        gathered = asyncio.run_coroutine_threadsafe(gather, self.client.loop.asyncio_loop)
        try:
            while True:
                try:
                    results: list[Any] = gathered.result(timeout=_CHECK)
                    return results
                except TimeoutError:
                    self._check_workers()
        finally:
            gathered.cancel()

    def _check_workers(self) -> None:
        gone = set(self.addresses) - listed(self.client)
        if gone:
            self.unreachable |= gone
            raise PeerLost(f"worker {min(gone)} is gone")


def _left_first(joined: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Return mates, prices and labels as gathered; of two lists those on the left come first."""
    mate, prices = joined["mate"], joined.get("prices")
    if "labels" not in joined:
        return mate, prices, None
    order = np.argsort(~joined["left"], kind="stable")
    number = np.empty(order.size + 1, np.int64)
    number[order], number[-1] = np.arange(order.size), -1
    prices = None if prices is None else prices[order]
    return number[mate[order]], prices, joined["labels"][order].tolist()


def listed(client: Client) -> set[str]:
    """Return the addresses of the workers that the scheduler knows."""
    try:
        return set(client.nthreads())
    except OSError as error:
        raise ClusterError(f"the scheduler does not answer: {error}") from None


def _matching(joined: dict[str, Any], parts: list[PartStats], solve: _Solve) -> Matching:
    """Make a matching of what the members have, unless they have written it."""
    first, job = parts[0], solve.job
    resumed = first.resumed_phase
    stats = SolveStats(
        algorithm=EXACT_IN_PARTS,
        init=first.init if resumed is None else f"phase {resumed} of the checkpoint",
        threads=job.threads or 1,
        seed=job.options["seed"],
        start_cardinality=first.start_cardinality,
        phases=first.phases,
        traversed_edges=sum(part.traversed_edges for part in parts),
        augmenting_paths=first.cardinality - first.start_cardinality,
        seconds=first.seconds,
        stopped=first.stopped,
        cluster={
            "workers": len(parts),
            "restarts": solve.restarts,
            "exchanges": first.exchanges,
            "bytes": sum(part.bytes for part in parts),
            "edges": first.edges,
        }
        | ({} if resumed is None else {"resumed_phase": resumed}),
    )
    if job.output is not None:
        from ..results.stored import StoredMatching

        return StoredMatching(job.output, stats)
    matching = Matching(
        joined["row_match"],
        joined["col_match"],
        upper_bound=first.upper_bound,
        stats=stats,
        row_labels=solve.source.row_labels,
        col_labels=solve.source.col_labels,
    )
    if first.cover is not None:
        matching.certificate = Certificate(joined["row_cover"], joined["col_cover"])
    return matching
