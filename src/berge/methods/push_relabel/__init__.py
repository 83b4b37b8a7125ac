"""Exact algorithms that push and relabel. One algorithm a file."""
