"""Two hosts with a link between them, which is cut once: Dask and MPI across network namespaces.

Each host is a namespace with an address of its own, so all that parts say to each other goes over
TCP and one pair of interfaces. It takes Linux, iproute2, and the right to make namespaces.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

import berge
from berge.cli import exit_codes

MPIEXEC = Path(sys.executable).parent / "mpiexec"
HOSTS = {"10.213.77.1": f"b{os.getpid()}a", "10.213.77.2": f"b{os.getpid()}b"}  # namespaces, links
ONE, OTHER = HOSTS

# Every part waits before each exchange, and says how far it is: so there is a middle of the run.
SLOWLY = """
import os, sys, time
from berge.distributed.{module} import {name} as Communicator

def exchange(self, arrays, flag=0, exchange=Communicator.exchange):
    time.sleep(0.02)
    result = exchange(self, arrays, flag)
    self.said = getattr(self, "said", 0) + 1
    with open(os.path.join({folder!r}, "said-%d" % self.rank), "w") as file:
        file.write(str(self.said))
    return result

Communicator.exchange = exchange
"""


def ip(*arguments):
    """Call ip; return what is wrong, or nothing."""
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    return done.stderr.strip() if done.returncode else ""


@pytest.fixture(scope="module")
def hosts():
    """Two namespaces with a link; skipped, with the reason, where that is not to be had."""
    if sys.platform != "linux" or not shutil.which("ip"):
        pytest.skip("needs Linux and iproute2")
    commands = [f"netns add {name}" for name in HOSTS.values()]
    commands.append(f"link add {HOSTS[ONE]} type veth peer name {HOSTS[OTHER]}")
    for address, name in HOSTS.items():
        commands += [
            f"link set {name} netns {name}",
            f"-n {name} addr add {address}/24 dev {name}",
            f"-n {name} link set {name} up",
            f"-n {name} link set lo up",
        ]
    try:
        for command in commands:
            if why := ip(*command.split()):
                pytest.skip(f"no network namespaces here: ip {command}: {why}")
        yield
    finally:
        for name in HOSTS.values():
            ip("netns", "del", name)


def cut(seconds):
    """Cut the link, and mend it after so many seconds."""
    for state in ("down", "up"):
        assert not ip("-n", HOSTS[ONE], "link", "set", HOSTS[ONE], state)
        if state == "down":
            time.sleep(seconds)


def bytes_over_the_link():
    """How many bytes have come over the link."""
    command = ["ip", "-n", HOSTS[ONE], "-j", "-s", "link", "show", HOSTS[ONE]]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)[0]["stats64"]["rx"]["bytes"]


def start(host, *command, log, **env):
    """Start a command on a host."""
    return subprocess.Popen(
        ["ip", "netns", "exec", HOSTS[host], *map(str, command)],
        stdout=log,
        stderr=subprocess.STDOUT,
        env=os.environ | {"NUMBA_NUM_THREADS": "1"} | env,
        start_new_session=True,
    )


def wait_for(there, *processes):
    deadline = time.monotonic() + 60
    while not there():
        assert time.monotonic() < deadline
        assert all(process.poll() is None for process in processes)
        time.sleep(0.02)


@pytest.fixture
def graph(tmp_path):
    """A graph in a folder that both hosts see, of some dozens of exchanges."""
    graph = berge.generate.erdos_renyi(1000, 1000, 3000, seed=1)
    berge.write(graph, tmp_path / "graph.berge")
    return graph


def check(graph, folder, log):
    """Check what was written by what shares no code with it."""
    assert (folder / "out.npz").exists(), log.read_text()
    matching = berge.Matching.load(folder / "out.npz")
    assert matching.cardinality == berge.maximum_matching(graph).cardinality
    matching.prove(graph, check="numpy")


def exchanges(folder, rank=0):
    """How many exchanges a part has had."""
    file = folder / f"said-{rank}"
    text = file.read_text() if file.exists() else ""
    return int(text) if text else 0


@pytest.mark.skipif(not find_spec("distributed"), reason="needs Dask")
@pytest.mark.parametrize("lost", [False, True])
def test_dask(hosts, graph, tmp_path, lost):
    """The link is cut for a moment, which TCP makes up for; or until a worker is given up."""
    slow, log, running = tmp_path / "slow.py", tmp_path / "log", []
    text = SLOWLY.format(module="links", name="Links", folder=str(tmp_path))
    slow.write_text(text + "\ndef dask_setup(worker):\n    pass\n")
    impatient = {"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "4s"}
    dask = Path(sys.executable).with_name("dask")
    address = f"tcp://{ONE}:8786"
    with log.open("w") as out:
        try:
            running.append(
                start(ONE, dask, "scheduler", "--host", ONE, "--no-dashboard", log=out, **impatient)
            )
            for host in HOSTS:
                worker = (dask, "worker", address, "--host", host, "--nthreads", "1")
                worker += ("--no-nanny", "--no-dashboard", "--preload", slow)
                running.append(start(host, *worker, log=out, **impatient))
            code = (
                "import berge, sys\n"
                f"m = berge.maximum_matching({str(tmp_path / 'graph.berge')!r}, "
                f"cluster={address!r}, workers=2, init='none', prove=True)\n"
                f"m.save({str(tmp_path / 'out.npz')!r})\n"
                "print('found', m.certificate is not None, m.stats.cluster['workers'],"
                " m.stats.cluster['restarts'])\n"
            )
            client = start(ONE, sys.executable, "-c", code, log=out, **impatient)
            running.append(client)
            wait_for(lambda: exchanges(tmp_path) >= 10, *running)
            cut(9 if lost else 0.5)
            assert client.wait(120) == 0, log.read_text()
        finally:
            for process in reversed(running):
                process.kill()
                process.wait()
    check(graph, tmp_path, log)
    expected = "found True 1 1" if lost else "found True 2 0"
    assert expected in log.read_text()


@pytest.mark.skipif(not find_spec("mpi4py") or not MPIEXEC.exists(), reason="needs MPI")
def test_mpi(hosts, graph, tmp_path):
    """A rank on each host; the link is cut for a moment, which TCP makes up for."""
    log, shell = tmp_path / "log", tmp_path / "shell"
    # What mpiexec calls in place of ssh: the host, and a command for a shell.
    cases = "\n".join(f"{address}) name={name} ;;" for address, name in HOSTS.items())
    shell.write_text(
        '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\n'
        f'case "$1" in\n{cases}\nesac\nshift\nexec ip netns exec $name sh -c "$*"\n'
    )
    shell.chmod(0o755)
    program = SLOWLY.format(module="mpi", name="MPICommunicator", folder=str(tmp_path))
    program += "import berge.mpi\nsys.exit(berge.mpi.main())\n"
    command = [MPIEXEC, "-launcher", "ssh", "-launcher-exec", shell, "-hosts", f"{ONE},{OTHER}"]
    command += ["-n", "2", "-ppn", "1", sys.executable, "-c", program]
    command += ["match", tmp_path / "graph.berge", "-o", tmp_path / "out.npz", "-i", "none"]
    before = bytes_over_the_link()
    with log.open("w") as out:
        # Hosts of one machine share memory, and ranks are not to use it: of MPICH, by UCX or OFI.
        only_tcp = {"MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "tcp,self", "FI_PROVIDER": "tcp"}
        ranks = start(ONE, *command, "--json", log=out, **only_tcp)
        try:
            wait_for(lambda: exchanges(tmp_path) >= 10, ranks)
            cut(0.5)
            assert ranks.wait(120) == exit_codes.OK, log.read_text()
        finally:
            ranks.kill()
            ranks.wait()
    check(graph, tmp_path, log)
    assert bytes_over_the_link() - before > 10_000  # and not through memory that ranks share
    facts = json.loads(log.read_text()[log.read_text().index("{") :])
    assert (facts["ranks"], facts["proved"], facts["resumed_phase"]) == (2, True, None)
