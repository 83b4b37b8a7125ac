"""Greedy matchings of general graphs, weighted or not: one method a file."""
