"""What is put together of several algorithms: the default."""
