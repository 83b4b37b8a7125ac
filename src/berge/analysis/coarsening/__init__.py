"""Multilevel hierarchies: graphs and hypergraphs made smaller by matching, level by level."""
