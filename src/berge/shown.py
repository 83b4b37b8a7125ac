"""How graphs and results look in notebooks: a small table, and a picture where one helps.

A class says what is in the table by `_facts`, and what is drawn below it by `_picture`, as SVG.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["COLOURS", "Shown", "bars", "rectangles"]

# Underdetermined, square, overdetermined, between the parts; told apart by colour-blind people too.
COLOURS = ("#0072b2", "#009e73", "#d55e00", "#8a8a8a")

_CELL = "padding:1px 14px 1px 0;border:none;text-align:left;vertical-align:top"


class Shown:
    """What shows itself in a notebook.

    Examples
    --------
    >>> from berge.shown import Shown
    >>> class Two(Shown):
    ...     def _facts(self):
    ...         yield "one", "<1>"
    >>> "&lt;1&gt;" in Two()._repr_html_()
    True
    """

    __slots__ = ()

    def _facts(self) -> Iterable[tuple[str, str]]:
        """Yield the lines of the table: what it is, and how it is."""
        return ()

    def _picture(self) -> str:
        """Return an SVG, or nothing."""
        return ""

    def _repr_html_(self) -> str:
        head = f"<b>{escape(type(self).__name__)}</b>"
        rows = "".join(
            f'<tr style="background:none"><td style="{_CELL}">{escape(name)}</td>'
            f'<td style="{_CELL}">{escape(str(value))}</td></tr>'
            for name, value in self._facts()
        )
        return f'{head}<table style="margin:4px 0;border:none">{rows}</table>{self._picture()}'


def bars(counts: Sequence[int], names: Sequence[str], title: str) -> str:
    """Return a bar chart of counts, each bar with its name below.

    Examples
    --------
    >>> from berge.shown import bars
    >>> bars([3, 1], ["1", "2–3"], "degrees").count("<rect")
    2
    """
    wide, high, most = 44, 60, max(counts, default=0) or 1
    parts = []
    for k, (count, name) in enumerate(zip(counts, names, strict=True)):
        tall = max(high * count / most, 1 if count else 0)
        parts.append(
            f'<rect x="{k * wide + 3}" y="{14 + high - tall:.1f}" width="{wide - 6}" '
            f'height="{tall:.1f}" fill="#0072b2"><title>{escape(name)}: {count:,}</title></rect>'
            f'<text x="{k * wide + wide / 2}" y="{high + 26}" text-anchor="middle">'
            f"{escape(name)}</text>"
        )
    return _svg(max(len(counts) * wide, 200), high + 32, title, "".join(parts))


def rectangles(
    size: tuple[int, int], parts: Iterable[tuple[str, str, tuple[int, int, int, int]]], title: str
) -> str:
    """Return the parts of a matrix, each a name, a colour and its top, bottom, left and right.

    What is small is drawn large enough to be seen.
    """
    n_rows, n_cols = max(size[0], 1), max(size[1], 1)
    scale = 150 / max(n_rows, n_cols)
    drawn: list[str] = []
    for name, colour, (top, bottom, left, right) in parts:
        if bottom == top and right == left:
            continue
        wide, high = (max(scale * length, 4) for length in (right - left, bottom - top))
        x, y = min(scale * left, 156 - wide), min(scale * top, 156 - high)
        sizes = f"{bottom - top:,} × {right - left:,}"
        drawn.append(
            f'<rect x="{x + 2:.1f}" y="{y + 16:.1f}" width="{wide:.1f}" height="{high:.1f}" '
            f'fill="{colour}"><title>{escape(name)}: {sizes}</title></rect>'
            f'<text x="176" y="{30 + 16 * len(drawn)}"><tspan fill="{colour}">■</tspan> '
            f"{escape(name)} {sizes}</text>"
        )
    return _svg(380, 178, title, "".join(drawn))


def _svg(wide: int, high: int, title: str, content: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" '
        'font-family="sans-serif" font-size="10" fill="currentColor">'
        f'<text x="2" y="9">{escape(title)}</text>{content}</svg>'
    )
