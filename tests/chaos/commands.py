"""kill -9, full disks and closed folders, at every step of every command that writes.

    python -m tests.chaos.commands [--seconds 600] [--go-on]

What a command is to write is there from an earlier run. Then it runs anew, on another graph, and
 - is killed before one of the things that it asks of the file system;
 - finds a disk that is full after some bytes;
 - finds a folder that it may not write to.
What is there then is the old or the new, byte for byte. Of a command that could not write it is the
old, the exit code is 1, and one line on stderr says why. A second run writes the new, and leaves
nothing else.
"""

from __future__ import annotations

import os
import re
import resource
import signal
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ["NUMBA_THREADING_LAYER"] = "workqueue"  # which outlives a fork, and is always there

import numpy as np
import scipy.io
from click.testing import CliRunner

import berge
from berge.cli import cli

from ..fuzz.differential import long_run

Snapshot = dict[str, bytes]

# By what they write: the arguments, of which IN is a graph and OUT the target.
COMMANDS = {
    "m.npz": "match IN.mtx -t 1 -o OUT",
    "m.json": "match IN.mtx -t 1 -o OUT",
    "m.txt": "match IN.mtx -t 1 -o OUT",
    "general.npz": "match IN.mtx --general -t 1 -o OUT",
    "general.txt": "match IN.mtx --general -t 1 -o OUT",
    "capacities.csv": "match IN.pairs.csv --left worker --right job --capacity-left 2 -t 1 -o OUT",
    "plan.json": "assign IN.score.csv --left worker --right job --score score -t 1 -o OUT",
    "plan.csv": "assign IN.score.csv --left worker --right job --score score -t 1 -o OUT",
    "heaviest.npz": "weighted IN.weights.mtx -o OUT",
    "pairs.csv": "match IN.pairs.csv --left worker --right job -t 1 -o OUT",
    "mate.npz": "greedy IN.mtx -t 1 -o OUT",
    "mate.txt": "greedy IN.mtx -t 1 -o OUT",
    "levels": "coarsen IN.mtx --until 20 -t 1 -o OUT",
    "parts.npz": "decompose IN.mtx -o OUT",
    "permuted.mtx": "decompose IN.mtx --permuted OUT",
    "g.mtx": "convert IN.csv OUT",
    "g.csv.gz": "convert IN.mtx OUT",
    "g.npz": "convert IN.mtx OUT",
    "g.berge": "convert IN.csv OUT",
    "g.mtx.xz": "generate chain links=LONG -o OUT",
}
LINKS = {"old": "90", "new": "100"}


class Attempts:
    """What is to be known of the commands before they are disturbed; in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, links in LINKS.items():
            graph = berge.generate.chain(int(links))
            berge.write(graph, folder / f"{name}.csv")
            berge.write(graph, folder / f"{name}.mtx")
            pairs = [f"{i // 2},{(i + 1) // 2}\n" for i in range(int(links))]
            (folder / f"{name}.pairs.csv").write_text("worker,job\n" + "".join(pairs))
            scores = [f"{i // 2},{(i + 1) // 2},{i % 7}\n" for i in range(int(links))]
            (folder / f"{name}.score.csv").write_text("worker,job,score\n" + "".join(scores))
            scipy.io.mmwrite(folder / f"{name}.weights.mtx", graph.to_scipy() * 3.0)
        self.steps: dict[str, int] = {}
        self.known: dict[str, tuple[Snapshot, Snapshot]] = {}

    def arguments(self, target: str, name: str) -> list[str]:
        """Return the arguments of a command, on the old graph or the new one."""
        places = {
            "IN": str(self.folder / name),
            "OUT": str(self.place(target)),
            "LONG": LINKS[name],
        }
        text = COMMANDS[target]
        for word, value in places.items():
            text = text.replace(word, value)
        return text.split()

    def place(self, target: str) -> Path:
        """Return the path of a target, in a folder where nothing else is."""
        folder = self.folder / f"at-{target}"
        folder.mkdir(exist_ok=True)
        return folder / target

    def learn(self, target: str) -> tuple[Snapshot, Snapshot]:
        """Run a command undisturbed on both graphs, and count its steps."""
        if target not in self.known:
            place = self.place(target)
            # Here, so that the children find kernels loaded.
            ended = CliRunner().invoke(cli, self.arguments(target, "old"), prog_name="berge")
            assert ended.exit_code == 0, ended.output
            old = snapshot(place)
            reading, writing = os.pipe()
            assert self.run(target, "new", count=writing) == 0
            os.close(writing)
            with open(reading, "rb") as pipe:
                self.steps[target] = len(pipe.read())
            self.known[target] = old, snapshot(place)
            assert old != self.known[target][1]
        return self.known[target]

    def run(
        self,
        target: str,
        name: str,
        *,
        count: int | None = None,
        kill: int | None = None,
        room: int | None = None,
        said: int | None = None,
        closed: bool = False,
    ) -> int:
        """Run a command in a child; return its exit code, or the signal that ended it, below 0.

        It writes a byte to `count` for each step, or is killed before one. Files may be no larger
        than `room`. What it says goes to `said`.
        """
        arguments = self.arguments(target, name)
        child = os.fork()
        if child:
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        code = 99
        try:
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent if said is None else said, 2)
            if room is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
            if closed and os.getuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            left = kill or 0

            def step(event: str, args: object) -> None:
                nonlocal left
                if event.startswith(("open", "os.", "shutil.", "fcntl.")) and os.getpid() != parent:
                    if count is not None:
                        os.write(count, b".")
                    left -= 1
                    if left == -1 and kill is not None:
                        os.kill(os.getpid(), signal.SIGKILL)

            parent = os.getppid()
            sys.addaudithook(step)
            cli(arguments, prog_name="berge", standalone_mode=True)
        except SystemExit as ended:
            code = int(ended.code or 0)
        finally:
            os._exit(code)

    def attempt(self, seed: int) -> bool:
        """Disturb one command in one way; return whether it was stopped by that."""
        rng = np.random.default_rng(seed)
        target = tuple(COMMANDS)[seed % len(COMMANDS)]
        old, new = self.learn(target)
        place = self.place(target)
        assert self.run(target, "old") == 0
        assert snapshot(place) == old
        match int(rng.integers(6)):
            case 0:
                ended = self.refused(target, room=int(rng.integers(min(map(len, new.values())))))
            case 1:
                os.chmod(place.parent, 0o555)
                ended = self.refused(target, closed=True)
                os.chmod(place.parent, 0o755)
            case _:
                step = int(rng.integers(self.steps[target]))
                ended = self.run(target, "new", kill=step)
                assert ended in (0, -signal.SIGKILL), f"{target} killed at {step}: {ended}"
                assert snapshot(place) in (old, new), f"{target} killed at {step}: is neither"
        assert self.run(target, "new") == 0
        assert snapshot(place) == new
        assert os.listdir(place.parent) == [target], os.listdir(place.parent)
        return ended != 0

    def refused(self, target: str, *, room: int | None = None, closed: bool = False) -> int:
        """Run a command that cannot write; see that it says so, and that the old is there."""
        place = self.place(target)
        reading, writing = os.pipe()
        ended = self.run(target, "new", room=room, said=writing, closed=closed)
        os.close(writing)
        with open(reading, encoding="utf-8") as pipe:
            said = pipe.read()
        why = "permission denied" if closed else "file too large"
        assert ended == 1, f"{target}: {ended}, {said}"
        assert said.startswith("error: "), said
        assert why in said.lower(), said
        assert said.count("\n") == 1, said
        assert snapshot(place) == self.known[target][0]
        return ended


def snapshot(path: Path) -> Snapshot:
    """Return the bytes of a file, or of all files of a folder, but for seconds."""
    files = [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file()]
    seconds = re.compile(rb'"seconds": (\{[^}]*\}|[^,\n]*)')
    return {str(p.relative_to(path)): seconds.sub(b"", p.read_bytes()) for p in files}


def main() -> int:
    """Try seed after seed, see `fuzz.differential`."""
    with TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        attempts = Attempts(Path(folder))
        return long_run("commands", attempts.attempt, "stopped")


if __name__ == "__main__":
    sys.exit(main())
