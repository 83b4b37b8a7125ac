"""Measuring: algorithms side by side, and the peers that people use today."""
