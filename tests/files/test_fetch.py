"""Fetching from the SuiteSparse collection, against a server of our own."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import socket
import sys
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import berge
from berge.errors import FetchError
from berge.files import aside, download, fetch, suitesparse
from berge.files.suitesparse import cache_folder

MATRIX = b"%%MatrixMarket matrix coordinate real general\n% c\n3 3 3\n1 1 1\n2 2 1\n3 1 1\n"


def tar_gz(*members):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            if content is None:
                info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
            else:
                info.size = len(content)
            tar.addfile(info, None if content is None else io.BytesIO(content))
    return file.getvalue()


ARCHIVE = tar_gz(
    ("west/readme.txt", os.urandom(4000)), ("west/west.mtx", MATRIX), ("west/west_b.mtx", MATRIX)
)


class Server(ThreadingHTTPServer):
    """Serves `content` at `path`, in the ways that `behaviour` says."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.path = "/MM/HB/west.tar.gz"
        self.content = ARCHIVE
        self.etag = '"one"'
        self.modified = None
        self.ranges = True
        self.length = True
        self.answers = []  # status codes to answer with before all else
        self.drops = []  # numbers of bytes after which to drop connections
        self.requests = []  # Range header of every request

    def handle_error(self, request, client_address):
        pass


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        server = self.server
        server.requests.append(self.headers.get("Range"))
        if server.answers:
            self.send_response(server.answers.pop(0))
            self.end_headers()
            return
        if self.path != server.path:
            self.send_error(404)
            return
        start = self.start_of_range()
        size = len(server.content)
        if start is not None and start >= size:
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{size}")
            self.end_headers()
            return
        self.send_response(200 if start is None else 206)
        if start is not None:
            self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
        if server.etag:
            self.send_header("ETag", server.etag)
        if server.modified:
            self.send_header("Last-Modified", server.modified)
        body = server.content[start or 0 :]
        if server.length:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if server.drops:
            self.wfile.write(body[: server.drops.pop(0)])
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            self.wfile.write(body)

    def start_of_range(self):
        """Return where to start, None if all is to be sent."""
        wanted, version = self.headers.get("Range"), self.headers.get("If-Range")
        if not self.server.ranges or wanted is None:
            return None
        if version is not None and version not in (self.server.etag, self.server.modified):
            return None
        return int(wanted.removeprefix("bytes=").removesuffix("-"))


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(download, "PAUSE", 0.001)
    monkeypatch.setattr(download, "TIMEOUT", 5.0)
    monkeypatch.setenv("no_proxy", "*")
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        monkeypatch.setenv("BERGE_SUITESPARSE_URL", f"http://127.0.0.1:{server.server_port}/")
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BERGE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def folder_of(cache):
    return sorted(os.listdir(cache / "suitesparse" / "HB"))


def test_fetch_and_keep(server, cache):
    seen = []
    path = fetch("HB/west", progress=lambda *numbers: seen.append(numbers))
    assert path == cache / "suitesparse" / "HB" / "west.mtx"
    assert path.read_bytes() == MATRIX
    assert berge.read(path).nnz == 3
    assert folder_of(cache) == ["west.mtx"]
    assert seen[0] == (0, len(ARCHIVE))
    assert seen[-1] == (len(ARCHIVE), len(ARCHIVE))
    assert fetch("HB/west", url="http://127.0.0.1:1") == path
    assert server.requests == [None]


def test_resume_within_a_call(server, cache):
    server.drops = [1000, 700]
    seen = []
    path = fetch("HB/west", progress=lambda *numbers: seen.append(numbers))
    assert path.read_bytes() == MATRIX
    assert server.requests == [None, "bytes=1000-", "bytes=1700-"]
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert {total for _, total in seen} == {len(ARCHIVE)}
    assert folder_of(cache) == ["west.mtx"]


@pytest.mark.parametrize("etag", ['"one"', None, 'W/"weak"'])
def test_resume_by_another_call(server, cache, etag):
    server.etag, server.modified = etag, "Mon, 05 Jan 2015 10:00:00 GMT"
    server.drops = [100] * download.TRIES
    with pytest.raises(FetchError, match=r"broke off 5 times .*another call goes on"):
        fetch("HB/west")
    assert folder_of(cache) == ["west.tar.gz.part", "west.tar.gz.part.version"]
    assert fetch("HB/west").read_bytes() == MATRIX
    assert server.requests[-1] == f"bytes={100 * download.TRIES}-"
    assert folder_of(cache) == ["west.mtx"]


def test_interrupted_by_the_user(server, cache):
    def stop(done, total):
        if done:
            raise KeyboardInterrupt

    server.drops = [2000]
    with pytest.raises(KeyboardInterrupt):
        fetch("HB/west", progress=stop)
    assert fetch("HB/west").read_bytes() == MATRIX
    assert server.requests == [None, "bytes=2000-"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_at_any_line(server, cache):
    """Another call goes on, or begins anew; nothing of the killed one is left."""
    places = {download.__file__, suitesparse.__file__, aside.__file__}
    steps, finished = 0, False
    while not finished:
        server.drops = [1500]
        child = os.fork()
        if child == 0:
            left = [steps]

            def trace(frame, event, _, left=left):
                if frame.f_code.co_filename not in places:
                    return None
                left[0] -= event == "line"
                if left[0] < 0:
                    os._exit(0)
                return trace

            sys.settrace(trace)
            try:
                fetch("HB/west")
            finally:
                os._exit(1)
        finished = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
        server.drops = []
        assert fetch("HB/west").read_bytes() == MATRIX
        assert folder_of(cache) == ["west.mtx"]
        shutil.rmtree(cache)
        steps += 4
    assert steps > 100


@pytest.mark.parametrize("mark", [b"\0" * 5, b"\xff", b'"a"\r\nX-Evil: 1', b""])
def test_a_mark_of_the_version_that_is_damaged(server, cache, mark):
    server.drops = [100] * download.TRIES
    with pytest.raises(FetchError):
        fetch("HB/west")
    (cache / "suitesparse/HB/west.tar.gz.part.version").write_bytes(mark)
    assert fetch("HB/west").read_bytes() == MATRIX
    assert server.requests[-1] is None


def test_killed_when_another_version_begins(server, cache):
    """The part of the old version must not be gone on with."""
    server.drops = [100] * download.TRIES
    with pytest.raises(FetchError):
        fetch("HB/west")
    server.etag, server.content = '"two"', tar_gz(("west/west.mtx", MATRIX + b"% two\n"))
    part = cache / "suitesparse/HB/west.tar.gz.part"
    real = type(part).write_text

    def killed(path, text, **more):
        real(path, text, **more)
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(part), "write_text", killed)
        with pytest.raises(KeyboardInterrupt):
            fetch("HB/west")
    assert not part.exists()
    assert fetch("HB/west").read_bytes() == MATRIX + b"% two\n"


def test_no_mark_of_the_version_means_from_the_start(server, cache):
    server.etag = None
    server.drops = [1000]
    assert fetch("HB/west").read_bytes() == MATRIX
    assert server.requests == [None, None]


def test_server_that_ignores_ranges(server, cache):
    server.ranges = False
    server.drops = [1000]
    assert fetch("HB/west").read_bytes() == MATRIX
    assert server.requests == [None, "bytes=1000-"]


def test_file_that_changed(server, cache):
    server.drops = [100] * download.TRIES
    with pytest.raises(FetchError, match="broke off"):
        fetch("HB/west")
    server.drops = []
    server.content = tar_gz(("west/west.mtx", MATRIX + b"% new\n"))
    server.etag = '"two"'
    assert fetch("HB/west").read_bytes() == MATRIX + b"% new\n"


def test_server_that_ignores_if_range(server, cache, monkeypatch):
    server.drops = [1000]
    monkeypatch.setattr(
        Handler,
        "start_of_range",
        lambda self: int(self.headers["Range"][6:-1]) if self.headers.get("Range") else None,
    )
    seen = []

    def change(done, total):
        seen.append(done)
        if done == 1000:
            server.content, server.etag = tar_gz(("west/west.mtx", MATRIX)) + bytes(5000), '"two"'

    server.content = ARCHIVE
    path = fetch("HB/west", progress=change)
    assert path.read_bytes() == MATRIX
    assert server.requests == [None, "bytes=1000-", None]


def test_part_that_is_already_whole(server, cache):
    folder = cache / "suitesparse" / "HB"
    folder.mkdir(parents=True)
    (folder / "west.tar.gz.part").write_bytes(ARCHIVE)
    (folder / "west.tar.gz.part.version").write_text('"one"')
    assert fetch("HB/west").read_bytes() == MATRIX
    assert server.requests == [f"bytes={len(ARCHIVE)}-"]


def test_part_that_is_too_long(server, cache):
    folder = cache / "suitesparse" / "HB"
    folder.mkdir(parents=True)
    (folder / "west.tar.gz.part").write_bytes(ARCHIVE + b"more")
    (folder / "west.tar.gz.part.version").write_text('"one"')
    assert fetch("HB/west").read_bytes() == MATRIX
    assert server.requests == [f"bytes={len(ARCHIVE) + 4}-", None]


def test_no_content_length(server, cache):
    server.length = False
    seen = []
    assert fetch("HB/west", progress=lambda *n: seen.append(n)).read_bytes() == MATRIX
    assert seen[-1] == (len(ARCHIVE), None)


def test_archive_left_by_an_interrupted_call(server, cache):
    folder = cache / "suitesparse" / "HB"
    folder.mkdir(parents=True)
    (folder / "west.tar.gz").write_bytes(ARCHIVE)
    assert fetch("HB/west").read_bytes() == MATRIX
    assert server.requests == []


def test_not_found(server, cache):
    with pytest.raises(FetchError, match="no such matrix: HB/east"):
        fetch("HB/east")
    assert len(server.requests) == 1


def test_passing_and_lasting_troubles(server, cache):
    server.answers = [503, 429]
    assert fetch("HB/west").read_bytes() == MATRIX
    server.answers = [403]
    with pytest.raises(FetchError, match="the server answered 403 Forbidden"):
        fetch("HB/other")
    server.answers = [500] * download.TRIES
    with pytest.raises(FetchError, match=r"broke off 5 times .*500"):
        fetch("HB/other")


def test_nobody_listens(cache, monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{unused.getsockname()[1]}"
    message = rf"no network: could not reach {host} \(Connection refused\)"
    with pytest.raises(FetchError, match=message):
        fetch("HB/west", url=f"http://{host}")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<html>sign in first</html>", "not a sound tar.gz archive .*Not a gzipped file"),
        (ARCHIVE[:3000], "not a sound tar.gz archive"),
        (ARCHIVE[:-1], "not a sound tar.gz archive"),
        (ARCHIVE[:-8] + bytes(8), "not a sound tar.gz archive .*CRC"),
        (gzip.compress(b"no tar at all" * 100), "not a sound tar.gz archive"),
        (tar_gz(("east/east.mtx", MATRIX)), "no west/west.mtx in it, but east/east.mtx"),
        (tar_gz(("../west/west.mtx", MATRIX)), "no west/west.mtx in it, but ../west/west.mtx"),
        (tar_gz(), "no west/west.mtx in it, but nothing"),
        (tar_gz(("west/west.mtx", None)), "not a sound tar.gz archive"),
        (tar_gz(("west/west.mtx", MATRIX[:-6])), r"west.mtx, line 5: file ends after 2 of 3"),
        (tar_gz(("west/west.mtx", b"hello")), r"west.mtx, line 1: a Matrix Market file begins"),
    ],
    ids=range(11),  # archives have the time in them
)
def test_what_arrives_is_not_what_it_should_be(server, cache, content, message):
    server.content = content
    with pytest.raises(FetchError, match=message):
        fetch("HB/west")
    assert folder_of(cache) == []
    server.content = ARCHIVE
    assert fetch("HB/west").read_bytes() == MATRIX


@pytest.mark.parametrize(
    "name",
    ["west", "HB/", "/west", "HB/west/x", "../west", "HB/..", "HB\\west", "HB/a b", "", "é/é"],
)
def test_names(cache, name):
    with pytest.raises(FetchError, match="a matrix is named GROUP/NAME"):
        fetch(name, url="http://127.0.0.1:1")
    assert not cache.exists()


def test_addresses(cache):
    for url in ("file:///etc", "sparse.tamu.edu", "http://"):
        with pytest.raises(FetchError, match="must begin with http"):
            fetch("HB/west", url=url)


def test_disk_trouble(server, cache, monkeypatch):
    usage = shutil.disk_usage(".")._replace(free=10)
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda path: usage)
        with pytest.raises(
            FetchError, match=rf"takes {len(MATRIX)} bytes, but the disk has 10 left"
        ):
            fetch("HB/west")
    cache_file = cache.parent / "file"
    cache_file.write_bytes(b"")
    with pytest.raises(FetchError, match=r"cannot write to .*file"):
        fetch("HB/west", cache=cache_file)

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    with pytest.raises(FetchError, match="the disk is full"):
        fetch("HB/west")


def test_two_at_once(server, cache):
    found = []
    threads = [threading.Thread(target=lambda: found.append(fetch("HB/west"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert folder_of(cache) == ["west.mtx"]
    if os.name == "posix":
        assert server.requests == [None]


def test_cache_folder(tmp_path, monkeypatch):
    for name in ("BERGE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "berge"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "berge"
    monkeypatch.setenv("BERGE_CACHE", str(tmp_path / "berge"))
    assert cache_folder() == tmp_path / "berge"
    assert cache_folder(tmp_path / "own") == tmp_path / "own"
