"""Stands here so that `client_kit` is on the import path; and gives its fixtures to the clients' tests."""

from client_kit.scripts import stage, stages
from client_kit.tls import certificates
from client_kit.tools import servers

__all__ = ["certificates", "servers", "stage", "stages"]
