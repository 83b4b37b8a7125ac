"""Thin adapters to other libraries. The core knows nothing of them."""
