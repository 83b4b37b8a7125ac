"""``berge fetch``."""

from __future__ import annotations

import gzip
import http.server
import io
import tarfile
import threading
from pathlib import Path

import pytest

import berge

from .invoke import run


class _Collection(http.server.BaseHTTPRequestHandler):
    """A collection with one matrix."""

    def do_GET(self):
        if self.path != "/MM/HB/tiny.tar.gz":
            self.send_error(404)
            return
        text = b"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n"
        plain = io.BytesIO()
        with tarfile.open(fileobj=plain, mode="w") as tar:
            member = tarfile.TarInfo("tiny/tiny.mtx")
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text))
        body = gzip.compress(plain.getvalue())
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class _TerminalSys:
    """Stands for sys where stderr is a terminal."""

    class stderr:  # noqa: N801 (an attribute of sys)
        @staticmethod
        def isatty():
            return True


class TestFetch:
    @pytest.fixture
    def url(self):
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Collection) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            yield f"http://127.0.0.1:{server.server_address[1]}"
            server.shutdown()
            thread.join()

    def test_prints_the_path_alone(self, tmp_path, url):
        result = run("fetch", "HB/tiny", "--cache", tmp_path, "--url", url)
        path = Path(result.stdout.rstrip("\n"))
        assert path.is_relative_to(tmp_path)
        assert berge.read(path).nnz == 1
        assert result.stderr == ""

    def test_bar_on_a_terminal(self, tmp_path, url, monkeypatch):
        monkeypatch.setattr("berge.cli.fetch.sys", _TerminalSys())
        result = run("fetch", "HB/tiny", "--cache", tmp_path, "--url", url)
        assert Path(result.stdout.rstrip("\n")).is_file()

    def test_errors(self, tmp_path, url):
        where = ["--cache", tmp_path, "--url", url]
        assert "no such matrix: HB/x" in run("fetch", "HB/x", *where, code=1).stderr
        assert "GROUP/NAME" in run("fetch", "tiny", *where, code=1).stderr
