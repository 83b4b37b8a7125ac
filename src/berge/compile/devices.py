"""Devices by name; what CUDA needs is imported only where a CUDA device is asked for."""

from __future__ import annotations

from ..errors import DeviceError
from .device import CpuDevice, Device

__all__ = ["open_device"]


def open_device(name: str, threads: int | None = None, number: int | None = None) -> Device:
    """Return a device by name: ``"cpu"``, on so many threads, or ``"cuda"``, by its number.

    Raises
    ------
    DeviceError
        If there is no such device; says what is missing.
    """
    if name == "cpu":
        return CpuDevice(threads)
    if name == "cuda":
        from .cuda import CudaDevice

        return CudaDevice(number)
    raise DeviceError(f"device {name!r} is not one of cpu, cuda")
