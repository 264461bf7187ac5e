"""The referee that domino bots play under.

This module is empty on purpose: importing the protocol stubs (``referee.v1``) must not load the server.
"""
