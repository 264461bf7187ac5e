"""The rules: pure code that knows no I/O, no protobuf, no asyncio, no clock and no randomness."""
