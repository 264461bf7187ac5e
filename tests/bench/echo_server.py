"""The yardstick of the turn benchmarks: a bare `grpc.aio` stream that always sends the same bytes.

It is given a recorded message, in hex, and prints its address. A client gets the message, answers it, and gets it
again: what a referee does, without the referee.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import grpc


async def main() -> None:
    """Serve until the input ends: whoever started this may be killed."""
    message = bytes.fromhex(sys.argv[1])

    async def play(_requests: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        while True:
            data: Any = await context.read()
            if data is grpc.aio.EOF:
                return
            await context.write(message)

    server = grpc.aio.server()
    handler: Any = grpc.stream_stream_rpc_method_handler(play)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("referee.v1.PlayService", {"Play": handler}),)
    )
    print(f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}", flush=True)
    await server.start()
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
