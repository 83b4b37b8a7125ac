"""``make dist``: builds what is released, checks it, and tries each in an empty environment.

The source distribution, the pure wheel made from it, the wheel for this platform with compiled
kernels, and the same of berge-lab but for the kernels.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from email.parser import HeaderParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
KERNELS = ROOT / "build" / "kernels"
SMOKE = ROOT / ".ci" / "smoke.py"
KERNEL_FILES = ("index.json", "code.bin", "first.json", "first.so")


def run(*command: object, **settings: str) -> None:
    """Run a command at the root of the repository; show it first."""
    print("$", *command, flush=True)
    subprocess.run(list(map(str, command)), cwd=ROOT, env=os.environ | settings, check=True)


def build() -> None:
    """Fill dist/."""
    shutil.rmtree(DIST, ignore_errors=True)
    shutil.rmtree(KERNELS, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", DIST)
    run(sys.executable, "-m", "build", "--outdir", DIST, "lab")
    if platform.machine().lower() not in ("x86_64", "amd64"):
        print(f"no kernels are compiled for {platform.machine()}: the pure wheel is for it too")
        return
    run(sys.executable, "-m", "berge", "warmup", "--save", "--folder", KERNELS)
    run(
        sys.executable, "-m", "build", "--wheel", "--outdir", DIST, BERGE_KERNELS=str(KERNELS)
    )  # fmt: skip


def names_in(path: Path) -> set[str]:
    """Return the files of a distribution."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return set(wheel.namelist())
    with tarfile.open(path) as source:
        return {name.partition("/")[2] for name in source.getnames()}


def check_contents(path: Path) -> None:
    """Check that what must be in a distribution is, and what must not be is not."""
    names = names_in(path)
    package = "lab/src/berge_lab" if path.name.startswith("berge_lab") else "src/berge"
    name = Path(package).name
    wheel = path.suffix == ".whl"
    base = f"{name}/" if wheel else f"src/{name}/"
    files = [p for p in (ROOT / package).rglob("*") if p.suffix == ".py" or p.name == "py.typed"]
    wanted = {base + p.relative_to(ROOT / package).as_posix() for p in files}
    kernels = {f"{base}compile/shipped/{name}" for name in KERNEL_FILES}
    if wheel and "-none-any" not in path.name:
        wanted |= kernels
    if not wheel:
        wanted |= {"pyproject.toml", "PKG-INFO", "LICENSE", "README.md"}
    missing = sorted(wanted - names)
    dirt = ("__pycache__", ".nbi", ".nbc", ".venv", ".pyc")
    extra = sorted(n for n in names if any(d in n for d in dirt))
    if wheel:
        tops = {n.partition("/")[0] for n in names}
        extra += sorted(t for t in tops if t != name and not t.endswith(".dist-info"))
        extra += sorted((kernels & names) - wanted)
        with zipfile.ZipFile(path) as archive:
            (about,) = (n for n in names if n.endswith(".dist-info/METADATA"))
            head = HeaderParser().parsestr(archive.read(about).decode())
        licence = {n for n in names if n.endswith(".dist-info/licenses/LICENSE")}
        if head["License-Expression"] != "MIT" or not licence:
            missing.append("the licence")
    if missing or extra:
        raise SystemExit(f"{path.name}: missing {missing}, not to be there {extra}")
    print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB, {len(names)} files, as they should be")


def try_out(path: Path) -> None:
    """Install a distribution into an empty environment, and do there what users do."""
    with tempfile.TemporaryDirectory(prefix="berge-") as folder:
        home = Path(folder)
        venv.create(home / "env", with_pip=True)
        python = home / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        run(python, "-m", "pip", "install", "--quiet", path, "networkx")
        compiled = path.suffix == ".whl" and "-none-any" not in path.name
        command = [str(python), str(SMOKE), "compiled" if compiled else ""]
        settings = os.environ | {"NUMBA_CACHE_DIR": str(home / "cache")}
        settings.pop("PYTHONPATH", None)
        subprocess.run(command, cwd=home, env=settings, check=True)
    print(f"{path.name}: installed, tried", flush=True)


def main() -> None:
    """Build, check and try all."""
    build()
    made = sorted(DIST.iterdir())
    run(sys.executable, "-m", "twine", "check", "--strict", *made)
    for path in made:
        check_contents(path)
    for path in made:
        if not path.name.startswith("berge_lab"):
            try_out(path)


if __name__ == "__main__":
    main()
