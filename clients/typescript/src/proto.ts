/**
 * The protocol's own messages and enums, for what `Turn` does not show.
 */
export * from "./gen/referee/v1/fault_pb.js";
export * from "./gen/referee/v1/play_pb.js";
export * from "./gen/referee/v1/table_pb.js";
