"""The yardstick of the step benchmark: a dm-env-rpc environment in Python that does nothing.

It observes a list of numbers as long as a view of ours, takes one number as its action, and never ends.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent import futures
from typing import Any

import grpc
from dm_env_rpc.v1 import dm_env_rpc_pb2 as messages
from dm_env_rpc.v1 import dm_env_rpc_pb2_grpc, tensor_utils

OBSERVED = list(range(40))


class Environment(dm_env_rpc_pb2_grpc.EnvironmentServicer):
    """Answers every step with the same observation."""

    def Process(self, request_iterator: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        """One stream of one agent."""
        specs = messages.ActionObservationSpecs(
            actions={1: messages.TensorSpec(name="action", dtype=messages.INT32)},
            observations={1: messages.TensorSpec(name="view", dtype=messages.INT32, shape=[len(OBSERVED)])},
        )
        for request in request_iterator:
            kind = request.WhichOneof("payload")
            if kind == "create_world":
                yield messages.EnvironmentResponse(create_world=messages.CreateWorldResponse(world_name="world"))
            elif kind == "join_world":
                yield messages.EnvironmentResponse(join_world=messages.JoinWorldResponse(specs=specs))
            elif kind == "reset":
                yield messages.EnvironmentResponse(reset=messages.ResetResponse(specs=specs))
            elif kind == "step":
                for tensor in request.step.actions.values():
                    tensor_utils.unpack_tensor(tensor)
                view = tensor_utils.pack_tensor(OBSERVED, dtype=messages.INT32)
                step = messages.StepResponse(state=messages.RUNNING, observations={1: view})
                yield messages.EnvironmentResponse(step=step)
            else:
                return


def main() -> None:
    """Serve until the input ends: whoever started this may be killed."""
    server = grpc.server(futures.ThreadPoolExecutor(4))
    dm_env_rpc_pb2_grpc.add_EnvironmentServicer_to_server(Environment(), server)
    print(f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}", flush=True)
    server.start()
    sys.stdin.read()


if __name__ == "__main__":
    main()
