"""Tournaments: what is to be played, in which order, and what the results say. Uses only the referee's public API."""
