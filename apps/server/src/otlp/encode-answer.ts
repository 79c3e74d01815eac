import protobuf from "protobufjs/minimal.js";

/** What was not taken of a request, if anything. */
export interface PartialSuccess {
  readonly rejected: number;
  /** Empty when there is nothing to say. */
  readonly message: string;
}

/** The name of the count in JSON, by what a request carries. */
const COUNTS = {
  traces: "rejectedSpans",
  logs: "rejectedLogRecords",
  metrics: "rejectedDataPoints",
} as const;
export type Signal = keyof typeof COUNTS;

const isNothing = ({ rejected, message }: PartialSuccess): boolean => rejected === 0 && message === "";

/** Encodes an `Export…ServiceResponse` as JSON. */
export function jsonAnswer(signal: Signal, partial: PartialSuccess): string {
  if (isNothing(partial)) return "{}";
  // 64-bit integers are texts in JSON.
  const count = { [COUNTS[signal]]: String(partial.rejected) };
  return JSON.stringify({ partialSuccess: { ...count, errorMessage: partial.message } });
}

/** Encodes an `Export…ServiceResponse`, which has the same fields for each signal. */
export function protobufAnswer(partial: PartialSuccess): Buffer {
  const writer = protobuf.Writer.create();
  if (!isNothing(partial)) {
    writer.uint32(10).fork();
    if (partial.rejected > 0) writer.uint32(8).int64(partial.rejected);
    writer.uint32(18).string(partial.message).ldelim();
  }
  return Buffer.from(writer.finish());
}

const [INVALID_ARGUMENT, DEADLINE_EXCEEDED, PERMISSION_DENIED, RESOURCE_EXHAUSTED] = [3, 4, 7, 8];
const [INTERNAL, UNAVAILABLE, UNAUTHENTICATED] = [13, 14, 16];
/** Codes of gRPC by HTTP status. */
const CODES: Readonly<Record<number, number>> = {
  401: UNAUTHENTICATED,
  403: PERMISSION_DENIED,
  408: DEADLINE_EXCEEDED,
  413: RESOURCE_EXHAUSTED,
  429: RESOURCE_EXHAUSTED,
  500: INTERNAL,
  503: UNAVAILABLE,
};

/** An error as `google.rpc.Status`. */
export interface RpcStatus {
  readonly code: number;
  readonly message: string;
}

/** Converts the answer to a problem. */
export function rpcStatus(status: number, message: string): RpcStatus {
  return { code: CODES[status] ?? INVALID_ARGUMENT, message };
}

/** Encodes a `google.rpc.Status`. */
export function protobufStatus({ code, message }: RpcStatus): Buffer {
  return Buffer.from(protobuf.Writer.create().uint32(8).int32(code).uint32(18).string(message).finish());
}
