"""A report with everything in it, and rows of results files, for the tests of reports."""

from __future__ import annotations

from berge_lab.report.model import Claim, Figure, Missing, Report, Series, Table

GRAPHS = ["road", "mesh", "web"]
ONE, OTHER = "Azad, Buluç, Pothen 2015", "Deveci, Kaya, Uçar, Çatalyürek 2013"


def sample() -> Report:
    """Every kind of figure, claims of each verdict, tables, something missing."""
    figures = [
        Figure(
            "grafting/times", ONE, "Figure 3: times by graph", "bars", "graph", "seconds",
            [
                Series("MS-BFS-Graft", GRAPHS, [0.5, 0.02, 0.004], [0.4, 0.01, 0.003],
                       [0.9, 0.03, 0.009], GRAPHS),
                Series("Pothen–Fan", GRAPHS, [1.5, 0.01, None], [1.4, 0.01, None],
                       [1.6, 0.02, None], GRAPHS),
                Series("MS-BFS-Graft", GRAPHS, [0.2, 0.05, 0.01], graphs=GRAPHS, published=True),
            ],
            log_y=True, note="Grafting wins on `road`, and loses on mesh.",
            published="MS-BFS-Graft is the fastest on all graphs, by up to 29 times.",
        ),
        Figure(
            "grafting/scaling", ONE, "Figure 5: strong scaling", "lines", "threads", "speed-up",
            [
                Series(g, [1, 2, 4], [1.0, 1.5 + k / 5, 2.0 + k], graphs=[g] * 3)
                for k, g in enumerate(GRAPHS)
            ] + [Series("all, published", [1, 2, 4], [1.0, 1.9, 3.6], published=True)],
            log_x=True, published="15 times on 40 cores.",
        ),
        Figure(
            "gpu/profile", OTHER, "Figure 4: performance profile", "steps",
            "times as long as the fastest", "share of graphs",
            [
                Series("a", [1.0, 1.0, 3.0], [1 / 3, 2 / 3, 1.0], graphs=["road", "web", "mesh"]),
                Series("b", [1.0, 5.0], [1 / 3, 2 / 3], graphs=["mesh", "web"]),
            ],
            log_x=True,
        ),
        Figure(
            "gpu/points", OTHER, "Start and maximum </script>", "points", "edges", "cardinality",
            [Series("maximum", [10, 100, 1000], [8.0, 70.0, float("nan")], graphs=GRAPHS)],
        ),
    ]  # fmt: skip
    tables = [
        Table("grafting/table", ONE, "Table II", ["graph", "edges", "seconds"],
              [["road", 1_234_567, 0.123456], ["mesh", 99, None], ["all | more", 5, 2.0]],
              note="Small.", published="Larger.")
    ]  # fmt: skip
    claims = [
        Claim("fast", ONE, "Grafting is faster than Pothen–Fan.", "29 times", "2 of 3 graphs",
              "held", figure="grafting/times"),
        Claim("edges", ONE, "It traverses fewer edges.", "on all", "1 of 3 graphs", "not held",
              "Little is left after the start."),
        Claim("gpu", OTHER, "The GPU is 3 times as fast.", "3.0", "", "not testable here",
              "No device.", "gpu/profile"),
    ]  # fmt: skip
    return Report(
        "The papers <here>",
        ["Two of three claims can be tested & one held.", "Use `berge.maximum_matching(A)`."],
        [{"cpu": "A & B", "cores": 2, "memory": 2**34, "caches": {"L2": "1M"},
          "versions": {"python": "3.11"}, "system": None, "name": ""}],
        figures, tables, claims,
        [Missing(OTHER, "Table 2: times on a C2050", "There is no GPU here.")],
        "Runs were apart by 5 %.",
    )  # fmt: skip


def row(graph, setting, seconds, *, status="ok", peer=None, machine="A", **more):
    """A line of a results file; a run over the limit of 10 s has no seconds."""
    stats = {"algorithm": "mixed", "init": "cheap"} if peer is None and seconds else None
    facts = {"cpu": machine, "cores": 2, "memory": 2**33, "versions": {"berge": "0.1.0"}}
    return {
        "format": 1, "suite": "mine", "key": f"{graph} {setting}", "graph": graph,
        "setting": setting, "peer": peer, "arguments": {}, "status": status,
        "reason": None if status == "ok" else f"why {status}", "seconds": seconds,
        "convert_seconds": None, "gather_seconds": [0.5, 0.5], "memory": 2**23, "rows": 10,
        "cols": 10, "edges": 20, "cardinality": 5, "time_limit": 10.0, "stats": stats,
        "machine": facts,
    } | more  # fmt: skip
