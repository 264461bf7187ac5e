"""Showing a match from its log: on a terminal, and as one HTML page."""
