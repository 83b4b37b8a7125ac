"""Matching a graph that is cut into parts: one core, written against one method, `exchange`."""
