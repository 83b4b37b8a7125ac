"""The laboratory of berge: benchmarks, comparisons, reports and the papers' experiments."""
