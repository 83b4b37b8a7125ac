"""Write docs/trust.md from the counts in this folder: `make trust` does so after its long runs.

python trust/page.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from tests.mutation import CHECKER, EQUIVALENT, places, source_of  # noqa: E402 (after the path)
from tests.test_findings import CASES  # noqa: E402

GRAPHS = ("graphs-small", "graphs-large", "graphs-lowered")
CHAOS = ("storms", "commands")
PAGE = (HERE / "page.txt").read_text(encoding="utf-8")


def main() -> None:
    """Write the page."""
    lines: dict[str, dict[str, Any]] = json.loads((HERE / "tried.json").read_text())
    soak: dict[str, Any] = json.loads((HERE / "soak.json").read_text())
    readers = {name: line for name, line in lines.items() if "accepted" in line}
    small, large, lowered = (lines[name] for name in GRAPHS)
    forged, general, weighted = (lines[name] for name in ("forged", "general-small", "weighted"))
    files = lines["forged-files"]
    assigned = [line for name, line in lines.items() if name.startswith("assignments")]
    chaos = {}
    for name, came_to in zip(CHAOS, ("interrupted", "stopped"), strict=True):
        line = lines.get(name, {"tried": 0, came_to: 0, "findings": 0})
        chaos[name] = f"{line['tried']:,} times, {line[came_to]:,} {came_to}"
        chaos[f"{name}_found"] = line["findings"]
    mutants = [f"{places(source_of(name))} of {name}" for name in CHECKER]
    equal = sum(len(after) for name in CHECKER for after in EQUIVALENT.get(name, {}).values())
    text = PAGE.format(
        **chaos,
        inputs=sum(line["tried"] for line in readers.values()),
        accepted=sum(line["accepted"] for line in readers.values()),
        found=sum(line["findings"] for line in readers.values()),
        small=small["tried"],
        small_solves=small["solves"],
        small_found=small["findings"],
        large=large["tried"],
        large_solves=large["solves"],
        lowered=lowered["tried"],
        lowered_solves=lowered["solves"],
        large_found=large["findings"] + lowered["findings"],
        schedules=lines["schedules"]["tried"],
        steps=lines["schedules"]["steps"],
        schedules_found=lines["schedules"]["findings"],
        general=general["tried"],
        weighted=weighted["graphs"],
        assigned=sum(line["solves"] for line in assigned),
        priced_found=sum(line["findings"] for line in (general, weighted, *assigned)),
        forged=forged["tried"],
        refused=forged["refused"],
        forged_found=forged["findings"],
        forged_files=files["tried"],
        forged_files_refused=files["refused"],
        forged_files_found=files["findings"],
        scripts=len(CASES),
        mutants=", ".join(mutants),
        equal=equal,
        calls="some 40",
        soak_calls=soak["calls"],
        soak_interrupted=soak["interrupted"],
        soak_seconds=soak["seconds"],
        soak_first=soak["megabytes"][0],
        soak_last=soak["megabytes"][1],
        soak_threads=soak["threads"],
        soak_files=soak["files"],
        soak_found="flat" if soak["flat"] else "not flat",
        readers="\n".join(
            f"| {name} | {line['tried']:,} | {line['accepted']:,} | {line['findings']} |"
            for name, line in readers.items()
        ),
    )
    (HERE.parent / "docs" / "trust.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
