"""Exact algorithms that search for augmenting paths. One algorithm a file."""
