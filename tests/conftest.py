"""Stands here so that `tests/` is on the import path: for `oracle` and `support`."""
