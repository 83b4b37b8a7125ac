"""First answers without numba: from a library of kernels, or else by numba, and always right."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

import berge
from berge.compile import first, first_library

from ..conftest import COMPILED

HERE = (
    COMPILED and sys.platform == "linux" and os.uname().machine == "x86_64" and shutil.which("ld")
)
pytestmark = pytest.mark.skipif(not HERE, reason="no library can be made, or nothing is compiled")

SOLVE = """
import sys
import numpy as np
from scipy.sparse import csr_array
import berge
A = csr_array(np.array([[1, 1, 0], [1, 0, 0], [1, 0, 1]]))
"""
MAKE = "import sys; from berge.cli.warmup import save_first; save_first(sys.argv[1])"
ASLEEP = "import sys, berge.compile; print(berge.compile.asleep())"


def run(place, code, *words, xoption=None, **settings):
    """Run code with the copy of berge at a place; return the words that it prints."""
    options = ["-X", xoption] if xoption else []
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "COV_"))}
    environment |= {"PYTHONPATH": str(place), "NUMBA_CACHE_DIR": str(place / "cache"), **settings}
    done = subprocess.run(
        [sys.executable, *options, "-c", code, *words],
        env=environment, cwd=place, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def library(place):
    return place / "berge" / "compile" / "shipped"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return a place with a copy of berge and its library, made by one process for all."""
    base = tmp_path_factory.getbasetemp()
    place = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "first"
    with open(base.parent / "first.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            unwanted = shutil.ignore_patterns("__pycache__", "shipped")
            shutil.copytree(Path(berge.__file__).parent, place / "berge", ignore=unwanted)
            settings = {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}
            run(place, MAKE, str(library(place)), xoption="berge-record", **settings)
    assert len(json.loads((library(place) / "first.json").read_text())["kernels"]) > 12
    return place


@pytest.fixture
def copy(made, tmp_path):
    """Return a copy of that place, to be damaged."""
    shutil.copytree(made / "berge", tmp_path / "berge", symlinks=True)
    return tmp_path


def test_first_answer_without_numba(made):
    code = SOLVE + "print(berge.maximum_matching(A).prove(A).size, 'numba' in sys.modules)"
    assert run(made, code) == ["3", "False"]
    assert run(made, code, NUMBA_NUM_THREADS="1") == ["3", "False"]


def test_command_without_numba(made):
    berge.write(berge.generate.grid(9, 9), made / "grid.mtx")
    code = """if True:
        import sys
        from berge.cli import main
        sys.argv = ["berge", "match", "grid.mtx", "--json"]
        try:
            main()
        except SystemExit:
            print("numba" in sys.modules)
    """
    assert run(made, code)[-1] == "False"


ANSWERS = """
def answers():
    random = np.random.default_rng(1)
    for _ in range(60):
        rows, cols = random.integers(1, 12, 2)
        for index in (np.int32, np.int64):
            A = csr_array(random.random((rows, cols)) < 0.25)
            A.indptr, A.indices = A.indptr.astype(index), A.indices.astype(index)
            m = berge.maximum_matching(A, threads=THREADS)
            m.prove(A)
            yield m.row_match.tolist()
"""


def test_same_answers_as_numba(made):
    """Of graphs of all shapes; the pairs are the same, and so are 64-bit indices taken."""
    code = f"THREADS = None\n{SOLVE}{ANSWERS}"
    code += "print('numba' in sys.modules, str(list(answers())).replace(' ', ''))"
    names = {"np": np, "berge": berge, "csr_array": csr_array, "THREADS": 1}
    exec(ANSWERS, names)
    found = list(names["answers"]())
    assert len(found) == 120
    assert run(made, code) == ["False", str(found).replace(" ", "")]


WAKES = {
    "what did not come compiled": "from berge.compile.random import draw; draw(np.uint64(1), 1)",
    "threads": "berge.maximum_matching(A, threads=2)",
    "many calls": "from berge.compile import first; first.WAKING = 0\n"
    "for _ in range(2): berge.maximum_matching(A)",
    "somebody else": "import numba; berge.maximum_matching(A)",
}


@pytest.mark.parametrize("what", WAKES)
def test_wakes(made, what):
    """From then on kernels are numba's own, in every module that has them."""
    code = SOLVE + "m = berge.maximum_matching(A)\nassert 'numba' not in sys.modules\n"
    code += (
        WAKES[what]
        + """
import berge.solve.small as small, berge.results.compiled_check as check
from numba.core.dispatcher import Dispatcher
again = berge.maximum_matching(A)
again.prove(A)
print(again.row_match.tolist() == m.row_match.tolist(), isinstance(small.begin_small, Dispatcher))
print(isinstance(check.check_share, Dispatcher), berge.compile.asleep())
"""
    )
    assert run(made, code) == ["True", "True", "True", "False"]


def test_threads_wake_it_side_by_side(made):
    code = (
        SOLVE
        + """if True:
        from concurrent.futures import ThreadPoolExecutor
        def one(k):
            if k % 10 == 9:
                return berge.maximum_matching(A, threads=2).cardinality
            return berge.maximum_matching(A).prove(A).size
        with ThreadPoolExecutor(8) as pool:
            print(set(pool.map(one, range(100))), "numba" in sys.modules)
    """
    )
    assert run(made, code) == ["{3}", "True"]


@pytest.mark.parametrize(
    "settings", [{"NUMBA_OPT": "1"}, {"NUMBA_CPU_NAME": "generic"}, {"NUMBA_DISABLE_JIT": "1"}]
)
def test_settings_of_the_user(made, settings):
    assert run(made, ASLEEP, **settings) == ["False"]
    assert run(made, ASLEEP) == ["True"]


def changed(index, **values):
    return json.dumps(json.loads(index) | values).encode()


DAMAGE = {
    "no library": ("first.so", lambda content: None),
    "no index": ("first.json", lambda content: None),
    "half a library": ("first.so", lambda content: content[: len(content) // 2]),
    "a bit of the library": ("first.so", lambda content: content[:999] + b"?" + content[1000:]),
    "half an index": ("first.json", lambda content: content[: len(content) // 2]),
    "a list": ("first.json", lambda content: b"[1, 2]"),
    "another check": ("first.json", lambda content: changed(content, check=1)),
    "other results": ("first.json", lambda content: changed(content, kernels={"k": ["f", "?", 1]})),
    "too many": ("first.json", lambda content: changed(content, kernels={"k": ["f", "bool", 9]})),
    "no list": ("first.json", lambda content: changed(content, kernels={"k": 3})),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damaged_files(copy, kind):
    name, damage = DAMAGE[kind]
    path = library(copy) / name
    content = damage(path.read_bytes())
    path.unlink() if content is None else path.write_bytes(content)
    assert run(copy, ASLEEP) == ["False"]


def test_changed_source(copy):
    """What a kernel is made of is in its key: of another file, of what stands for a helper."""
    code = (
        SOLVE
        + """if True:
        m = berge.maximum_matching(A)
        m.prove(A)
        from berge.compile import first
        kernels = first._library()[1] if first._library() else {}
        import berge.solve.small as small, berge.results.compiled_check as check
        kinds = "(i4.1w i4.1w i4.1w i4.1w i4.1w i8.1w q) q q ?"
        print(first.key_of(small.begin_small.py_func, kinds) in kernels)
    """
    )
    assert run(copy, code) == ["True"]
    for name in ("methods/starts/cheap.py", "compile/forms.py"):
        path = copy / "berge" / name
        before = path.read_text()
        path.write_text(before + "\n# changed\n")
        keys = code.replace("m = berge.maximum_matching(A)", "").replace("m.prove(A)", "")
        assert run(copy, keys) == ["False"]
        path.write_text(before)
    assert run(copy, code) == ["True"]


def test_another_processor(monkeypatch):
    monkeypatch.setattr(first, "_features", lambda: {"sse2"})
    first._library.cache_clear()
    try:
        assert not first.fits()
    finally:
        first._library.cache_clear()


def test_no_linker(monkeypatch, tmp_path):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert first_library.make(lambda: 1 / 0, tmp_path) == 0
    assert not list(tmp_path.iterdir())


def test_kinds():
    words, types = [], []
    vector = np.zeros(3, np.int32)
    vector.setflags(write=False)
    pair = first_library.first.words_of((vector, (True, 2), None, 1.5), words, types)
    assert pair == "i4.1r (? q) n d"
    assert words[2:4] + words[5:] == [3, 4, 3, 4, True, 2, 0, 1.5]
    assert len(words) == len(types)


@pytest.mark.parametrize(
    "value", [np.zeros((4, 4))[:, 1], np.zeros(2, ">i4"), np.zeros(2, "M8[s]"), "text", 2**63, [1]]
)
def test_kinds_that_are_not_taken(value):
    with pytest.raises(TypeError):
        first.words_of((value,), [], [])
