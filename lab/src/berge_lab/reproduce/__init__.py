"""The papers' tables and figures, rerun: experiments, claims, and the report of both."""

from .build import PAPERS, build_report

__all__ = ["PAPERS", "build_report"]
