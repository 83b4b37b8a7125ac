"""Per-item kernels on CPU threads: what `berge.compile.device` and `berge.compile.scan` promise."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from functools import partial

import numba
import numpy as np
import pytest

import berge
from berge.compile import compare_and_swap, fetch_add, helper
from berge.compile.device import CT, MT, ONE, CpuDevice, per_item
from berge.compile.devices import open_device
from berge.compile.scan import compact, count, prefix_sum
from berge.compile.shared_count import add, new_count, total
from berge.methods import registry

from ..kernel_files import kernel_files

kernels = pytest.mark.kernels
shapes = pytest.mark.parametrize("shape", [CT, MT, ONE])
threads = pytest.mark.parametrize("threads", [1, 2, 4])


@helper
def twice(value):
    return value * 2


@per_item
def double(i, values, visits, total):
    values[i] = twice(values[i])
    visits[i] += 1
    fetch_add(total, 0, values[i])


@per_item
def claim(i, owner, won):
    if compare_and_swap(owner, i % owner.size, -1, i):
        fetch_add(won, 0, 1)


@per_item
def tally(i, counters):
    add(counters, i, i)


@kernels
@shapes
@threads
def test_every_item_is_done_once(shape, threads):
    for serial in (0, 512):
        device = CpuDevice(threads, serial=serial)
        for n in (0, 1, 2, 255, 256, 257, 1023, 5000):
            values = device.upload(np.arange(n, dtype=np.int32))
            visits, total = device.full(n, 0, np.int32), device.full(1, 0, np.int64)
            device.launch(double, n, values, visits, total, shape=shape)
            assert np.array_equal(device.download(values), 2 * np.arange(n))
            assert (visits == 1).all()
            assert device.read(total) == n * (n - 1)


@kernels
@shapes
def test_a_place_is_claimed_once(shape):
    device = CpuDevice(4, serial=0)
    owner, won = device.full(100, -1, np.int32), device.full(1, 0, np.int64)
    device.launch(claim, 20_000, owner, won, shape=shape)
    assert device.read(won) == 100
    assert (owner % 100 == np.arange(100)).all()


@kernels
def test_items_in_order():
    """By one thread, however many items there are."""
    device = CpuDevice(4, serial=0)
    owner, won = device.full(3, -1, np.int32), device.full(1, 0, np.int64)
    device.launch(claim, 9000, owner, won, shape=ONE)
    assert owner.tolist() == [0, 1, 2]


@kernels
@threads
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_prefix_sum(dtype, threads):
    device = CpuDevice(threads, serial=0)
    rng = np.random.default_rng(threads)
    for n in (0, 1, 2, 63, 64, 65, 1000, 4097, 140_000):
        array = rng.integers(0, 9, n).astype(dtype)
        expected = np.concatenate([[0], np.cumsum(array)])
        assert prefix_sum(device, array) == expected[-1]
        assert np.array_equal(array, expected[:-1])


@kernels
@threads
def test_compaction(threads):
    device = CpuDevice(threads, serial=0)
    rng = np.random.default_rng(threads)
    for n in (0, 1, 64, 3000):
        source = rng.integers(-2, 5, n).astype(np.int32)
        places, to = np.empty(n, np.int32), np.empty(n, np.int32)
        for size in (n, n // 2):
            count = compact(device, source, size, places, to)
            assert np.array_equal(to[:count], source[:size][source[:size] >= 0])


@kernels
def test_counting():
    device = CpuDevice(4, serial=0)
    for n in (0, 1, 5000):
        source = np.arange(n, dtype=np.int32) % 7 - 3
        assert count(device, source) == (source >= 0).sum()
        counters = new_count(device)
        device.launch(tally, n, counters)
        assert total(device, counters) == n * (n - 1) // 2


@kernels
def test_the_callers_threads_are_given_back():
    before = numba.get_num_threads()
    device = CpuDevice(3, serial=0)
    owner, won = device.full(3, -1, np.int32), device.full(1, 0, np.int64)
    device.launch(claim, 9, owner, won)
    assert numba.get_num_threads() == before


def test_small_launches_are_done_by_one_thread():
    assert CpuDevice(2).serial > 0
    assert open_device("cpu", 2).threads == 2


def test_devices_that_are_not_there():
    with pytest.raises(berge.DeviceError, match="'tpu' is not one of cpu, cuda"):
        open_device("tpu")
    with pytest.raises(berge.DeviceError, match="ms-bfs-graft runs on cpu only"):
        berge.maximum_matching(([0], [0]), algorithm="ms-bfs-graft", device="cuda")
    for solve in (berge.maximum_matching, berge.greedy_matching):
        with pytest.raises(berge.DeviceError, match="one of cpu, cuda, not 'gpu'"):
            solve(([0], [0]), device="gpu")


def in_a_process(code: str, **environment: str) -> str:
    """Run code in a process of its own: whether CUDA is there is known once and for all."""
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


ASK_FOR_CUDA = """
import berge
try:
    # Where the start leaves nothing to do, too.
    berge.maximum_matching(([0, 1], [0, 1]), algorithm="apfb-queue", device="cuda")
except berge.DeviceError as error:
    print(error)
"""


@pytest.mark.kernels
def test_no_gpu():
    """The message says what is missing; here no GPU may be seen, whatever the machine has."""
    pytest.importorskip("numba.cuda")
    said = in_a_process(ASK_FOR_CUDA, CUDA_VISIBLE_DEVICES="-1")
    assert said.startswith('device "cuda": ')
    assert "a driver and a GPU are needed" in said


def test_no_numba_cuda():
    hidden = 'import sys; sys.modules["numba.cuda"] = None\n'
    said = in_a_process(hidden + ASK_FOR_CUDA)
    assert "numba-cuda" in said
    assert 'pip install "berge[cuda]"' in said


def test_solving_on_the_cpu_imports_no_cuda():
    code = """
import sys
import berge, berge.cli.match, berge.cli.program
for name in ("ms-bfs-graft", "apfb-gpubfs-wr-ct", "apfb-split"):
    berge.maximum_matching(([0, 1], [0, 0]), algorithm=name, init="none")
print([name for name in sys.modules if name.startswith(("numba.cuda", "numba_cuda", "cuda"))])
"""
    assert in_a_process(code).strip() == "[]"


class Watched(CpuDevice):
    """A device that counts the bytes that lie on it, and has room for so many."""

    most = float("inf")

    def __init__(self, threads=None, serial=None):
        super().__init__(threads, serial)
        Watched.required, Watched.used = 0, 0

    def room(self):
        return self.most

    def require(self, needed):
        Watched.required = needed
        assert self.used == 0, "asked before anything is allocated"
        super().require(needed)

    def upload(self, array):
        Watched.used += array.nbytes
        return super().upload(array)

    def empty(self, size, dtype):
        array = super().empty(size, dtype)
        Watched.used += array.nbytes
        return array


@pytest.mark.parametrize(
    ("kind", "name"),
    [(a.kind, a.name) for a in registry.variants() if "cuda" in a.devices and a.kind != "start"],
)
def test_room_is_asked_for_beforehand(kind, name, monkeypatch):
    graph = berge.generate.permute(berge.generate.grid(40, 50), seed=1)
    monkeypatch.setattr("berge.compile.devices.CpuDevice", Watched)
    monkeypatch.setattr(Watched, "most", float("inf"))
    if kind == "greedy":
        solve = partial(berge.greedy_matching, graph, method=name)
    else:
        solve = partial(berge.maximum_matching, graph, algorithm=name, init="cheap")
    solve()
    # Counters and flags, some kilobytes whatever the graph, are left out of the account.
    assert Watched.required <= Watched.used + graph.nnz
    assert Watched.used <= Watched.required + 40_000
    monkeypatch.setattr(Watched, "most", Watched.required - 1)
    with pytest.raises(berge.DeviceError, match="GB free, and this takes"):
        solve()
    assert Watched.used == 0


def test_bodies_take_arrays_from_tuples_by_name():
    """numba loses what a loop on threads writes to an array that was unpacked from a tuple."""
    found = []
    for path in kernel_files():
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            marks = {getattr(mark, "id", "") for mark in getattr(function, "decorator_list", ())}
            if marks & {"per_item", "helper"}:
                given = {argument.arg for argument in function.args.args}
                found += [
                    f"{path}:{node.lineno}: {ast.unparse(node)}"
                    for node in ast.walk(function)
                    if isinstance(node, ast.Assign)
                    and isinstance(node.targets[0], ast.Tuple)
                    and getattr(node.value, "id", "") in given
                ]
    assert not found, found
