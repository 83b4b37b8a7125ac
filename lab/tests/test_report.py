"""Reports: what they hold, and what is written of them; of `berge bench` rows, and `choose`."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from click.testing import CliRunner
from reports import GRAPHS, ONE, row, sample

import berge
from berge import OptionError, generate
from berge.cli import cli, exit_codes
from berge_lab.bench import runner
from berge_lab.bench.measure import UNMEASURED
from berge_lab.bench.ranking import advise, call, rank, spread
from berge_lab.bench.results import Results, read_lines
from berge_lab.bench.suite import read_suite
from berge_lab.cli.report import make_report
from berge_lab.report.bench import advice_lines, build_report, by_machine, caveats
from berge_lab.report.html import page
from berge_lab.report.markdown import as_markdown
from berge_lab.report.model import Claim, Figure, Report, Series, Table
from berge_lab.report.pictures import write_pictures


def run(*arguments, code=0):
    result = CliRunner().invoke(cli, list(map(str, arguments)), prog_name="berge")
    assert result.exit_code == code, f"{result.output}\n{result.exception!r}"
    return result


# --- what a report holds ------------------------------------------------------------------------


def test_to_json_and_back():
    report = sample()
    figures = report.figures[:3]  # not the one with NaN, which is not equal to itself
    report = replace(report, figures=figures)
    assert Report.from_json(json.loads(json.dumps(report.to_json()))) == report


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Series("s", [1, 2], [1.0]), "series 's': 1 values of y, but 2 of x"),
        (lambda: Series("s", [1], [1.0], graphs=[]), "0 values of graphs"),
        (lambda: Figure("f", "", "", "pie", "", "", []), "figure 'f': kind must be one of lines"),
        (lambda: Table("t", "", "", ["a", "b"], [[1]]), "table 't': a row of 1 for 2 columns"),
        (lambda: Claim("c", "", "", "", "", "true"), "claim 'c': verdict must be one of held"),
        (
            lambda: Report("", [], tables=[Table("t", "", "", [], [])] * 2),
            "two figures or tables have the id 't'",
        ),
        (
            lambda: Report("", [], claims=[Claim("c", "", "", "", "", "held", figure="x")]),
            "claim 'c': there is no figure or table x",
        ),
    ],
)
def test_what_does_not_fit_is_refused(make, message):
    with pytest.raises(OptionError, match=re.escape(message)):
        make()


def test_two_reports_in_one():
    other = Report("Other", ["More."], [{"cpu": "C"}], tables=[Table("t", "", "T", ["a"], [])])
    both = sample() + other
    assert both.title == sample().title
    assert both.summary[-1] == "More."
    assert [table.id for table in both.tables] == ["grafting/table", "t"]
    assert len(both.machine) == 2


# --- what is written ----------------------------------------------------------------------------


def test_page_has_all_of_it_and_needs_no_network():
    report = sample()
    text = page(report)
    assert len(text.encode()) < 10e6
    start, _, rest = text.partition('<script type="application/json" id="data">')
    assert "http://" not in start
    assert "https://" not in start
    assert "default-src 'none'" in start
    for words in ("The papers &lt;here&gt;", "tested &amp; one held", "There is no GPU here.",
                  "<code>berge.maximum_matching(A)</code>", "Runs were apart by 5 %", "16.0 GB",
                  "1,234,567", "not testable here", 'href="#grafting/times"'):  # fmt: skip
        assert words in start
    for item in report.items:
        assert f'id="{item.id}"' in start
    # A title or a name cannot end the script that the data stands in.
    data, end, _ = rest.partition("</script>")
    assert end
    figures = json.loads(data)["figures"]
    assert [figure["id"] for figure in figures] == [figure.id for figure in report.figures]
    assert figures[3]["series"][0]["y"] == [8.0, 70.0, None]


def test_a_column_has_the_same_decimals_all_along():
    table = Table("t", "", "T", ["a"], [[1.0], [2.25], [10.5]])
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", page(Report("R", [], tables=[table])))
    assert cells == ["1.00", "2.25", "10.50"]


def test_sections_carry_the_names_of_papers():
    text = page(replace(sample(), papers={ONE: "Tree grafting, in full"}))
    assert "<h2>Tree grafting, in full</h2>" in text
    assert "## Tree grafting, in full" in as_markdown(
        replace(sample(), papers={ONE: "Tree grafting, in full"})
    )


def test_a_report_of_nothing():
    report = Report("Nothing", ["Nothing was measured."])
    text = page(report)
    assert "Nothing was measured." in text
    assert len(text) < 100_000  # no plotly without plots
    assert as_markdown(report) == "# Nothing\n\n- Nothing was measured.\n"


def test_plotly_and_matplotlib_are_extras(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "plotly.offline", None)
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(OptionError, match=r"plotly: pip install 'berge\[lab\]'"):
        page(sample())
    with pytest.raises(OptionError, match=r"matplotlib: pip install 'berge\[lab\]'"):
        write_pictures(sample(), tmp_path)


def test_pictures(tmp_path):
    report = sample()
    files = write_pictures(report, tmp_path / "a")
    assert {file.relative_to(tmp_path / "a").as_posix() for file in files} == {
        figure.id + suffix for figure in report.figures for suffix in (".svg", ".png")
    }
    write_pictures(report, tmp_path / "b", (".svg",))
    for file in files:
        if file.suffix == ".png":
            assert file.read_bytes().startswith(b"\x89PNG")
            continue
        text = file.read_text(encoding="utf-8")
        assert ET.fromstring(text).tag.endswith("svg")
        assert len(text) < 40_000
        # The same figures, the same bytes: fit to be committed.
        assert text == (tmp_path / "b" / file.relative_to(tmp_path / "a")).read_text("utf-8")
    names = (tmp_path / "a" / "grafting" / "times.svg").read_text("utf-8")
    assert all(f">{word}<" in names for word in (*GRAPHS, "seconds", "MS-BFS-Graft, published"))


def test_markdown():
    text = as_markdown(sample(), "figures")
    assert "| Grafting is faster than Pothen–Fan. | 29 times | 2 of 3 graphs | **held** |" in text
    assert "**not testable here**: No device." in text
    assert "![Figure 5: strong scaling](figures/grafting/scaling.svg)" in text
    assert "| road | 1,234,567 | 0.123 |" in text
    assert "| all \\| more | 5 | 2 |" in text
    assert "| --- | ---: | ---: |" in text
    assert "![" not in as_markdown(sample())


# --- of rows of berge bench ---------------------------------------------------------------------


def rows():
    """auto is best on two of three graphs, and the faster of ours on all but one."""
    slow = {"algorithm": "hkdw"}
    return [
        row("g", "auto", [1.0, 1.1]),
        row("h", "auto", [4.0, 4.4]),
        row("i", "auto", [2.0, 2.2]),
        row("g", "hkdw", [2.0], arguments=slow),
        row("h", "hkdw", [1.0], arguments=slow),
        row("i", "hkdw", [], status="time limit", arguments=slow),
        row("g", "scipy", [8.0], peer="scipy"),
        row("h", "scipy", [4.0], peer="scipy"),
        row("i", "scipy", [1e-9], status="unproved", peer="scipy"),
    ]


def test_ranking():
    results = Results({"": rows()})
    auto, hkdw, scipy = rank(results)
    assert (auto.setting, auto.wins, auto.solved, auto.auto) == ("auto", 2, 3, True)
    assert auto.score == pytest.approx(4 ** (1 / 3))
    assert (auto.worst, auto.worst_graph, auto.chose) == (4.0, "h", "mixed after cheap")
    assert hkdw.score == pytest.approx((2 * 1 * 5) ** (1 / 3))  # the limit counts as its time
    assert (hkdw.setting, hkdw.wins, hkdw.unsolved) == ("hkdw", 1, 1)
    assert scipy.peer
    assert scipy.score == pytest.approx((8 * 4) ** (1 / 2))  # void counts nowhere
    advice = advise(results, [auto, hkdw, scipy])
    assert (advice.best, advice.auto, advice.factor, advice.same) == (auto, auto, 1.0, True)
    assert advise(results, [scipy]) is None


def test_auto_as_good_as_the_best_up_to_the_noise():
    def advice(seconds, threads=1):
        fast = {"algorithm": "auto", "threads": threads}
        lines = [row("g", "auto", seconds), row("g", "auto t1", [1.0, 1.2], arguments=fast)]
        found = Results({"": lines})
        return advise(found, rank(found))

    near, far = advice([1.1, 1.3]), advice([1.5, 1.6])
    assert near.best.setting == "auto t1"
    assert near.auto.setting == "auto"  # not the one with threads
    assert (near.same, far.same) == (True, False)
    assert far.factor == pytest.approx(1.5)
    assert call(near.best.arguments) == "berge.maximum_matching(A, threads=1)"


def test_advice_says_what_it_can_not_tell():
    def lines(best, other):
        found = Results({"": [row("g", "a", [best, 1.5 * best]), row("g", "b", [other])]})
        return caveats(advise(found, rank(found)))

    assert any("Too close to call" in line and "(b)" in line for line in lines(1.0, 1.4))
    assert not any("Too close" in line or "ms" in line for line in lines(1.0, 1.6))
    assert "within 5 ms" in lines(0.001, 0.002)[-1]
    assert "within 5 ms" in build_report([row("g", "auto", [0.001])]).noise
    assert not any("ms" in line for line in lines(0.006, 0.02))


def test_advice_says_the_threads():
    found = Results({"": [row("g", "auto t1", [1.0], arguments={"threads": 1})]})
    assert "auto t1 (on 1 thread)," in advice_lines(advise(found, rank(found)), 1)[0]


def test_a_graph_that_nobody_solved_does_not_rank():
    lines = [row("g", "a", [1.0]), row("h", "a", [], status="time limit")]
    (only,) = rank(Results({"": lines}))
    assert (only.score, only.solved, only.unsolved) == (1.0, 1, 0)
    assert rank(Results({"": lines[1:]})) == []


def test_spread():
    lines = [{"status": "ok", "seconds": [1.0, 1.0 + k / 10]} for k in range(11)]
    assert spread(lines) == pytest.approx((0.5, 0.9))
    assert spread([{"status": "ok", "seconds": [1.0]}]) == (0.0, 0.0)


def test_report_of_a_suite():
    report = build_report(rows())
    assert report.title == "berge bench: mine"
    assert "1 ended by the time limit, 1 failed" in report.summary[0]
    assert "; to use it: `berge.maximum_matching(A)`." in report.summary[1]
    assert "nothing need be set" in report.summary[2]
    assert len(report.summary) == 3
    figures = {figure.id: figure for figure in report.figures}
    assert set(figures) == {"performance-profile", "speed-up", "times", "gather-passes", "memory"}
    auto, hkdw, scipy = figures["performance-profile"].series
    assert (auto.x, auto.y, auto.graphs) == ([1, 1, 4], [1 / 3, 2 / 3, 1], ["g", "i", "h"])
    assert (hkdw.x, hkdw.y) == ([1, 2], [1 / 3, 2 / 3])  # never reaches 1
    assert scipy.x == [4, 8]
    assert figures["speed-up"].title == "Speed-up over scipy"
    times = figures["times"].series[0]
    assert dict(zip(times.graphs, zip(times.low, times.y, times.high, strict=True), strict=True)) \
        == {"g": (1.0, 1.05, 1.1), "h": (4.0, 4.2, 4.4), "i": (2.0, 2.1, 2.2)}  # fmt: skip
    tables = {table.id: table for table in report.tables}
    assert [line[1] for line in tables["ranking"].rows] == [
        "auto (mixed after cheap)", "hkdw", "scipy",
    ]  # fmt: skip
    assert tables["table-times"].rows[2] == ["i", 10, 10, 20, 5, 2.0, "> 10", "—"]
    assert [(m.what, m.reason) for m in report.missing] == [
        ("hkdw on i", "why time limit"), ("scipy on i", "why unproved"),
    ]  # fmt: skip
    assert "10%" in report.noise
    page(report)


def test_only_the_best_settings_are_drawn():
    lines = [
        row("g", f"s{k:02}", [1.0 + k], arguments={"algorithm": f"s{k:02}"}) for k in range(20)
    ]
    report = build_report([*lines, row("g", "auto", [99.0])])
    drawn = [series.name for series in report.figures[0].series]
    assert drawn == [*(f"s{k:02}" for k in range(8)), "auto"]
    assert len(report.tables[0].rows) == 21
    assert "at worst 99.00 times the fastest's time, on g." in report.summary[-1]


def test_several_machines_side_by_side():
    here = rows()
    there = [
        r | {"machine": {"cpu": "B", "cores": 64}, "seconds": [s / 100 for s in r["seconds"]]}
        for r in rows()
    ]
    parts = by_machine([*here, *there])
    assert [(m["name"], m["cores"]) for m, _ in parts] == [("machine A", 2), ("machine B", 64)]
    assert {r["setting"] for _, some in parts for r in some} == {
        f"{setting} [{m}]" for setting in ("auto", "hkdw", "scipy") for m in "AB"
    }
    report = build_report([*here, *there])
    assert "on 2 machines" in report.summary[0]
    assert [line for line in report.summary if line.startswith("On ")] == [
        "On machine A:", "On machine B:",
    ]  # fmt: skip
    # Ranked on each machine: the slower one's best is as good there as the faster one's.
    lines = [line[:3] for line in report.tables[0].rows]
    assert lines[0][:2] == [1, "auto [A] (mixed after cheap)"]
    assert lines[3][:2] == [1, "auto [B] (mixed after cheap)"]
    assert lines[0][2] == pytest.approx(lines[3][2])


def test_other_versions_are_no_other_machine():
    first = rows()[0]
    newer = first | {"machine": first["machine"] | {"versions": {"berge": "0.2.0"}}}
    [(machine, lines)] = by_machine([first, newer, newer])
    assert machine["versions"] == {"berge": "0.1.0, 0.2.0"}
    assert {r["setting"] for r in lines} == {"auto"}


# --- berge report -------------------------------------------------------------------------------


def lines_file(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_report_of_files(tmp_path):
    here = lines_file(tmp_path / "here.jsonl", rows())
    there = lines_file(
        tmp_path / "there.jsonl", [r | {"machine": {"cpu": "B", "cores": 8}} for r in rows()]
    )
    said = run("report", here, there, "-o", tmp_path / "r.html", "--pictures", tmp_path / "p",
               "--markdown", tmp_path / "r.md", "--title", "Both").stderr  # fmt: skip
    assert said.startswith("wrote: ")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<title>Both</title>" in text
    assert "auto [B]" in text
    text = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert text.startswith("# Both\n")
    assert "](p/times.svg)" in text
    assert (tmp_path / "p" / "times.svg").exists()


def test_report_refuses(tmp_path):
    good = lines_file(tmp_path / "good.jsonl", rows())
    foreign = tmp_path / "foreign.jsonl"
    foreign.write_text('{"name": "x"}\n', encoding="utf-8")
    result = run("report", good, foreign, "-o", tmp_path / "r.html", code=exit_codes.ERROR)
    assert "foreign.jsonl, line 1: not a line of `berge bench run`" in result.stderr
    assert not (tmp_path / "r.html").exists()
    foreign.write_text('{"format": 1}\n', encoding="utf-8")
    run("report", foreign, "-o", tmp_path / "r.html", code=exit_codes.ERROR)
    foreign.write_bytes(b"\x89PNG\r\n")
    result = run("report", foreign, "-o", tmp_path / "r.html", code=exit_codes.ERROR)
    assert "foreign.jsonl: not lines of text" in result.stderr
    assert "nothing to write" in run("report", good, code=exit_codes.USAGE).stderr
    run("report", good, "-o", tmp_path / "r.pdf", code=exit_codes.USAGE)
    run("report", tmp_path / "none.jsonl", "-o", tmp_path / "r.html", code=exit_codes.ERROR)
    empty = lines_file(tmp_path / "empty.jsonl", [])
    result = run("report", empty, "-o", tmp_path / "r.html", code=exit_codes.USAGE)
    assert "no results" in result.stderr


def test_rows_of_the_papers_go_to_their_own_report(monkeypatch):
    import berge_lab.reproduce

    papers = [r | {"suite": "reproduce-quick"} for r in rows()]
    given = []

    def build(records):
        given.extend(records)
        return Report("Papers", ["Of papers."])

    monkeypatch.setattr(berge_lab.reproduce, "build_report", build)
    report = make_report([*rows(), *papers])
    assert given == papers
    assert report.title == "Papers"
    assert len(report.summary) == 1 + len(build_report(rows()).summary)
    assert make_report(papers).figures == []


# --- which algorithm for these graphs -----------------------------------------------------------

MINE = """
[[graphs]]
generate = "chain"
links = 3
[[settings]]
algorithm = "pothen-fan"
init = "cheap"
"""
SECONDS = {"auto": 2.0, "auto t1": 3.0, "pothen-fan cheap": 1.0}


@pytest.fixture
def graphs(tmp_path, monkeypatch):
    """Two files, and measurements that are made up: Pothen–Fan is best, hkdw fails."""
    for name, links in (("a.mtx", 5), ("b.mtx", 6)):
        berge.write(generate.chain(links), tmp_path / name)
    (tmp_path / "mine.toml").write_text(MINE, encoding="utf-8")
    names = {json.dumps(s.arguments): s.name for s in read_suite("choose").settings}

    def measured(*args, arguments, **more):
        name = names[json.dumps(arguments)]
        if name.startswith("hkdw"):
            return UNMEASURED | {"reason": "why failed"}
        seconds = SECONDS.get(name, 9.0)
        stats = {"algorithm": "mixed", "init": "cheap"}
        return UNMEASURED | {"status": "ok", "seconds": [seconds, 1.01 * seconds], "stats": stats}

    monkeypatch.setattr(runner, "measure", measured)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "spelled",
    [
        ["bench", "choose", "a.mtx", "b.mtx"],
        ["bench", "--graphs", "a.mtx", "b.mtx", "--suite", "choose"],
        ["bench", "--suite", "choose", "--graphs", "*.mtx"],
    ],
)
def test_choose(spelled, graphs):
    result = run(*spelled, "-o", "r.html", code=exit_codes.ERROR)  # hkdw failed
    assert "4 measurements failed" in result.stderr
    lines = result.stdout.splitlines()
    ranked = [line.split("  ")[0] for line in lines[3:]]
    assert ranked[:3] == ["pothen-fan cheap", "auto ★", "auto t1"]
    call = 'berge.maximum_matching(A, algorithm="pothen-fan", init="cheap")'
    assert f"To use it: {call}" in lines
    assert lines[-1].startswith("auto (mixed after cheap) takes 2.00 times as long on average")
    text = (graphs / "r.html").read_text(encoding="utf-8")
    assert "Which algorithm for these graphs" in text
    assert "pothen-fan cheap" in text
    assert (graphs / "r.jsonl").exists()


def test_choose_goes_on_and_keeps_to_the_graphs_that_are_asked_for(graphs):
    facts = json.loads(run("bench", "choose", "a.mtx", "--json", code=1).stdout)
    assert facts["use"].endswith('algorithm="pothen-fan", init="cheap")')
    assert facts["auto_factor"] == pytest.approx(2)
    assert facts["auto_is_as_good"] is False
    assert facts["ranking"][1]["auto"]
    before = (graphs / "choose.jsonl").read_text(encoding="utf-8")
    run("bench", "choose", "b.mtx", "-q", "-o", "p.png", "--results", "choose.jsonl", code=1)
    assert (graphs / "p.png").read_bytes().startswith(b"\x89PNG")
    after = (graphs / "choose.jsonl").read_text(encoding="utf-8")
    assert after.startswith(before)
    lines = run("bench", "choose", "a.mtx", "-q", code=1).stdout.splitlines()
    assert lines[0].strip() == "best first, over 1 graph"
    more = (graphs / "choose.jsonl").read_text(encoding="utf-8")
    assert len(more.splitlines()) == len(after.splitlines()) + 2  # what failed is tried again


def test_choose_says_how_long_and_stops_slow_runs(graphs, monkeypatch):
    (graphs / "two.toml").write_text(
        'time_limit = 30\n[[settings]]\nalgorithm = "auto"\n'
        '[[settings]]\nalgorithm = "mixed"\ninit = "karp-sipser"\n'
    )
    limits, measured = {}, runner.measure

    def noted(*args, arguments, time_limit, **more):
        limits[arguments["algorithm"]] = time_limit
        return measured(*args, arguments=arguments) | {"seconds": [0.5]}

    monkeypatch.setattr(runner, "measure", noted)
    said = run("bench", "choose", "a.mtx", "--suite", "two.toml").stderr
    assert "first: auto, on 1 graph" in said
    assert "then: 1 measurement: about" in said
    assert limits == {"auto": 30, "mixed": 5}
    assert {row["time_limit"] for row in read_lines(graphs / "choose.jsonl")} == {5, 30}
    suite = read_suite("two.toml", ["a.mtx"])
    assert runner.fastest_so_far(suite, graphs / "choose.jsonl") == {"a": 0.5}
    assert [runner.limit_of(suite, "a", {"a": s}, 10) for s in (0.01, 5)] == [2, 30]
    assert "nothing left" in run("bench", "choose", "a.mtx", "--suite", "two.toml").stderr


def test_a_file_is_known_by_its_content(graphs):
    def lines():
        return (graphs / "choose.jsonl").read_text(encoding="utf-8").splitlines()

    run("bench", "choose", "a.mtx", "-q", "--suite", "mine.toml")
    assert len(lines()) == 1
    (graphs / "other").mkdir()
    (graphs / "a.mtx").rename(graphs / "other" / "a.mtx")
    result = run("bench", "choose", "other/a.mtx", "--suite", "mine.toml")
    assert "nothing left to measure" in result.stderr
    berge.write(generate.chain(50), graphs / "a.mtx")
    result = run("bench", "choose", "a.mtx", "--suite", "mine.toml")
    assert "changed: a: not what choose.jsonl has lines of" in result.stderr
    assert [json.loads(line)["rows"] for line in lines()] == [5, 50]
    (row,) = read_lines(graphs / "choose.jsonl")  # the other graph's no longer counts
    assert row["rows"] == 50
    result = run("bench", "choose", "a.mtx", "--suite", "mine.toml")
    assert "changed" not in result.stderr
    assert "nothing left to measure" in result.stderr


def test_choose_refuses(graphs):
    assert "Missing argument" in run("bench", "choose", code=exit_codes.USAGE).stderr
    assert "there is no file" in run("bench", "choose", "c.mtx", code=exit_codes.USAGE).stderr
    run("bench", "choose", "a.mtx", "-o", "r.txt", code=exit_codes.USAGE)
    run("bench", "choose", "a.mtx", "--results", "r.txt", code=exit_codes.USAGE)
    result = run("bench", "--suite", "choose", "run", "quick", code=exit_codes.USAGE)
    assert "there is no file" in result.stderr
    assert "--graphs" in run("bench", "--help").stdout
    (graphs / "more").mkdir()
    berge.write(generate.chain(3), graphs / "more" / "a.mtx")
    result = run("bench", "choose", "a.mtx", "more/a.mtx", code=exit_codes.USAGE)
    assert "two have the name 'a'" in result.stderr


def test_suites_with_lists_of_algorithms_and_starts(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(
        """
        [[settings]]
        algorithm = ["hkdw", "pothen-fan"]
        init = ["none", "cheap"]
        threads = [1, 2]
        [[graphs]]
        generate = "chain"
        links = 3
        """,
        encoding="utf-8",
    )
    names = [setting.name for setting in read_suite(path).settings]
    assert names == [
        f"{algorithm} {init} t{threads}"
        for algorithm in ("hkdw", "pothen-fan")
        for init in ("none", "cheap")
        for threads in (1, 2)
    ]
