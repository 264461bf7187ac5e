"""How a call fails: a status with a stable reason and its variables as details."""

from __future__ import annotations

from typing import Any, Final, NoReturn

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

DOMAIN: Final = "domino-referee"


async def abort(
    context: grpc.aio.ServicerContext[Any, Any], code: grpc.StatusCode, reason: str, message: str, **variables: str
) -> NoReturn:
    """End a call with a status whose details hold a `google.rpc.ErrorInfo`.

    Args:
        context: the call.
        code: the gRPC status code.
        reason: the stable reason, in UPPER_SNAKE_CASE.
        message: what is wrong and what would be right, for people.
        variables: what the reason is about, by name.
    """
    info = error_details_pb2.ErrorInfo(reason=reason, domain=DOMAIN, metadata=variables)
    detail = AnyMessage()
    detail.Pack(info)
    status = status_pb2.Status(code=code_pb2.Code.Value(code.name), message=message, details=[detail])
    rich = rpc_status.to_status(status)
    await context.abort(code, message, rich.trailing_metadata)
    raise AssertionError("abort does not return")
