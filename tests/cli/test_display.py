"""Numbers as people read them."""

from __future__ import annotations

from berge.cli.display import bar
from berge.wording import in_bytes, in_seconds


class TestDisplay:
    def test_bar(self):
        assert bar(1, 3) == "███"
        assert len(bar(0.37, 10)) == 10

    def test_seconds(self):
        assert [in_seconds(s) for s in (0.00012, 0.5, 12.34, 1234.5)] == [
            "0.000 s",
            "0.500 s",
            "12.3 s",
            "1,234 s",
        ]

    def test_bytes(self):
        assert [in_bytes(b) for b in (5, 1023, 2048, 3 << 20, 1010 << 20, 5 << 40)] == [
            "5 bytes",
            "1023 bytes",
            "2 KB",
            "3 MB",
            "0.986 GB",
            "5 TB",
        ]
