"""Written aside and put in place: killed at any step, on full disks, in folders of others."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import berge
from berge.files import aside, convert
from berge.files.streams import open_stream

# Children are forked from one process, which has imported everything. A child either ends itself
# before the k-th thing that it asks of the file system, or is killed while it writes on and on.
KILLED = """
import os, random, signal, sys, time
from pathlib import Path
import berge
from berge.files import aside, convert
from berge.files.streams import open_stream

what, exchange, steps = sys.argv[1:]
if exchange == "no":
    aside._exchange = lambda one, other: False
old, new = berge.generate.chain(40), berge.generate.chain(50)
target = Path({"npz": "g.npz", "mtx": "g.mtx.gz"}.get(what, "g.berge"))
berge.write(new, "source.csv")
new.T, old.T  # compiled before

def write(graph):
    if what == "convert":
        convert.convert_stream(open_stream("source.csv", "edge-list"), target)
    else:
        berge.write(graph, target)

def fork(work):
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    return child

def dying(k):
    left = k
    def hook(event, args):
        nonlocal left
        if event.startswith(("open", "os.", "shutil.", "fcntl.")):
            left -= 1
            if left < 0:
                os._exit(9)
    sys.addaudithook(hook)
    write(new)

def forever():
    while True:
        write(new)
        berge.write(old, target)

def names():
    return set(os.listdir()) - {"source.csv", target.name, "g.berge.partial"}

berge.write(old, target)
write(new)
seen = {50: 0, 40: 0}
left = 0
for k in range(10_000):
    berge.write(old, target)
    if steps == "every":
        ended = os.waitstatus_to_exitcode(os.waitpid(fork(lambda: dying(k)), 0)[1])
    else:
        child = fork(forever)
        time.sleep(random.random() * (0.03 + k * 0.002))  # longer where the machine is busy
        os.kill(child, signal.SIGKILL)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if k >= 25 and (min(seen.values()) > 2 or k == 250):
            break
    seen[berge.read(target).n_rows] += 1
    left += bool(names())
    assert all(name.endswith((".berge-tmp", ".berge-old")) for name in names()), names()
    write(new)  # goes on, or begins anew
    assert berge.read(target).n_rows == 50
    assert not names(), names()
    assert not os.path.exists("g.berge.partial")
    if ended == 0:
        break
print(k, seen[40], seen[50], left)
"""


@pytest.mark.parametrize(
    ("what", "exchange", "steps"),
    [
        ("folder", "yes", "every"),
        ("folder", "no", "every"),
        ("convert", "yes", "every"),
        ("npz", "yes", "every"),
        ("mtx", "yes", "every"),
        ("folder", "yes", "random"),
        ("convert", "no", "random"),
    ],
)
def test_killed_at_any_step(tmp_path, what, exchange, steps):
    command = [sys.executable, "-c", KILLED, what, exchange, steps]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    kills, old, new, left = map(int, done.stdout.split())
    assert kills > 8
    assert old > 2
    assert new > 0
    assert left > 0


ONE, TWO = berge.generate.chain(5), berge.generate.chain(9)


def leave(target, name="0123456789ab.berge-tmp"):
    """Leave a file as a killed process does."""
    path = target.with_name(f".{target.name}.{name}")
    path.write_bytes(b"x")
    return path


def test_only_what_killed_processes_of_ours_left_is_removed(tmp_path, monkeypatch):
    target = tmp_path / "g.npz"
    kept = [
        leave(tmp_path / "h.npz"),
        leave(target, "0123456789.berge-tmp"),
        leave(target, "0123456789ab.tmp"),
        leave(target, "0123456789xy.berge-tmp"),
    ]
    link = tmp_path / ".g.npz.aaaaaaaaaaaa.berge-tmp"
    link.symlink_to(kept[0])
    pipe = tmp_path / ".g.npz.bbbbbbbbbbbb.berge-tmp"
    os.mkfifo(pipe)
    dead, old = leave(target), leave(target, "0123456789ab.berge-old")
    with aside.aside(str(target), os.mkdir) as alive:  # and this has swept, before it was there
        assert not dead.exists()
        assert old.exists()  # as long as there is no other
        with monkeypatch.context() as patch:
            leave(target)
            patch.setattr(os, "getuid", lambda: os.geteuid() + 1)
            berge.write(ONE, target)
            assert dead.exists()
            assert old.exists()
        berge.write(TWO, target)
        assert os.path.isdir(alive)
    assert berge.read(target).shape == TWO.shape
    left = [link, target, *kept]
    assert sorted(path for path in tmp_path.iterdir() if not path.is_fifo()) == sorted(left)


def test_swept_before_it_was_locked(tmp_path, monkeypatch):
    """Between making a file and locking it, another process may take it for a dead one's."""
    made = []

    def make(path):
        Path(path).write_bytes(b"")
        made.append(path)
        if len(made) == 1:
            os.unlink(path)

    with aside.aside(str(tmp_path / "g"), make) as path:
        assert made[1:] == [path]
    holder = None

    def make_locked(path):
        nonlocal holder
        Path(path).write_bytes(b"")
        made.append(path)
        if holder is None:
            holder = os.open(path, os.O_RDONLY)
            fcntl.flock(holder, fcntl.LOCK_EX)

    with aside.aside(str(tmp_path / "g"), make_locked) as path:
        assert path == made[-1] != made[-2]
    os.close(holder)


def test_without_locks_nothing_is_removed(tmp_path, monkeypatch):
    left = leave(tmp_path / "g.npz")

    def none(*args):
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(fcntl, "flock", none)
    berge.write(ONE, tmp_path / "g.npz")
    assert sorted(os.listdir(tmp_path)) == sorted([left.name, "g.npz"])


@pytest.mark.parametrize("exchange", [True, False])
def test_a_folder_that_cannot_be_put_in_place(tmp_path, monkeypatch, exchange):
    target = tmp_path / "g.berge"
    berge.write(ONE, target)
    monkeypatch.setattr(aside, "_exchange", lambda one, other: False)
    rename = os.rename

    def refuse(one, other):
        if Path(other) == target and str(one).endswith(".berge-tmp"):
            raise PermissionError(errno.EACCES, "no", other)
        rename(one, other)

    monkeypatch.setattr(os, "rename", refuse)
    with pytest.raises(PermissionError):
        berge.write(TWO, target)
    assert os.listdir(tmp_path) == ["g.berge"]
    assert berge.read(target).shape == ONE.shape


def test_without_the_exchange_of_the_system(tmp_path, monkeypatch):
    aside._renameat2.cache_clear()
    monkeypatch.setattr(aside.ctypes, "CDLL", lambda name: object())
    for graph in (ONE, TWO):
        berge.write(graph, tmp_path / "g.berge")
    assert berge.read(tmp_path / "g.berge").shape == TWO.shape
    assert os.listdir(tmp_path) == ["g.berge"]
    aside._renameat2.cache_clear()


def test_old_folders_are_read_until_there_is_a_new_one(tmp_path):
    target, old = tmp_path / "g.berge", tmp_path / ".g.berge.0123456789ab.berge-old"
    berge.write(ONE, target)
    target.rename(old)
    assert berge.read(target).shape == ONE.shape
    assert berge.maximum_matching(target).cardinality == 5
    assert old.exists()  # reading changes nothing
    berge.write(TWO, target)
    assert berge.read(target).shape == TWO.shape
    assert os.listdir(tmp_path) == ["g.berge"]


LARGE = berge.generate.erdos_renyi(3000, 3000, 30_000, seed=1)
MATCHING = berge.maximum_matching(LARGE)
WRITERS = {
    "g.mtx": lambda path: berge.write(LARGE, path),
    "g.csv.gz": lambda path: berge.write(LARGE, path),
    "g.npz": lambda path: berge.write(LARGE, path),
    "g.parquet": lambda path: berge.write(LARGE, path),
    "g.berge": lambda path: berge.write(LARGE, path),
    "m.json": lambda path: MATCHING.save(path),
    "m.npz": lambda path: MATCHING.save(path),
}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("before", [False, True])
def test_full_disk(tmp_path, name, before):
    """The target stays as it was, nothing is left, and the error names the file."""
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    target = tmp_path / name
    if before:
        berge.write(ONE, target) if name[0] == "g" else berge.maximum_matching(ONE).save(target)
    content = {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match=f"File too large: .*{tmp_path.name}") as caught:
            WRITERS[name](target)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.errno == errno.EFBIG
    assert content == {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}


def test_full_disk_while_converting(tmp_path):
    source, target = tmp_path / "g.mtx", tmp_path / "g.berge"
    berge.write(LARGE, source)
    berge.write(ONE, target)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(OSError, match=r"g.berge.partial"):
            convert.convert_stream(open_stream(source, "matrix-market"), target)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert berge.read(target).shape == ONE.shape
    convert.convert_stream(open_stream(source, "matrix-market"), target)
    assert berge.read(target).shape == LARGE.shape
    assert sorted(os.listdir(tmp_path)) == ["g.berge", "g.mtx"]


def test_devices_are_written_to_directly():
    with pytest.raises(OSError, match=r"No space left on device: '/dev/full'"):
        berge.files.write(LARGE, "/dev/full", format="mtx")


def test_folders_that_may_not_be_written_to():
    """In a process that is not root's."""
    script = """if True:
        import os, tempfile, berge
        graph = berge.generate.chain(5)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("g.npz", "g.berge"):  # which imports all that may be closed later
                berge.write(graph, f"{folder}/{name}")
            os.mkdir(f"{folder}/closed", 0o555)
            os.chmod(folder, 0o755)
            if (child := os.fork()) == 0:
                if os.getuid() == 0:
                    os.setgroups([]); os.setgid(65534); os.setuid(65534)
                for name in ("g.npz", "g.berge"):
                    try:
                        berge.write(graph, f"{folder}/closed/{name}")
                    except PermissionError as error:
                        print(error.filename.removeprefix(folder), flush=True)
                os._exit(0)
            os.waitpid(child, 0)
            print(os.listdir(f"{folder}/closed"))
    """
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["/closed/g.npz", "/closed/g.berge", "[]"]


def test_everything_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    events = []

    def noting(name):
        call = getattr(os, name)

        def note(*args, **more):
            what = args[-1] if name != "fsync" else os.readlink(f"/proc/self/fd/{args[0]}")
            events.append((name, Path(what).name.split(".berge-tmp")[0][:7]))
            return call(*args, **more)

        monkeypatch.setattr(os, name, note)

    for name in ("fsync", "replace", "rename"):
        noting(name)
    place = tmp_path.name[:7]
    berge.write(ONE, tmp_path / "g.npz")
    assert events == [("fsync", ".g.npz."), ("replace", "g.npz"), ("fsync", place)]
    events.clear()
    berge.write(ONE, tmp_path / "g.berge")
    folder, (last, parent) = events[:-2], events[-2:]
    assert (last, parent) == (("rename", "g.berge"), ("fsync", place))
    assert {("fsync", "indptr."), ("fsync", "indices"), ("fsync", ".meta.j")} < set(folder)
    assert folder[-1] == ("fsync", ".g.berg")  # the names in the folder
