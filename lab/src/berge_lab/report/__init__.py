"""Reports: figures, tables and claims made of measurements, as a page, pictures and Markdown."""
