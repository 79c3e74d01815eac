import { Type } from "typebox";

/** The encodings of OTLP over HTTP. */
export const OTLP_MEDIA_TYPES = ["application/x-protobuf", "application/json"] as const;

export const OtlpRequest = Type.Object(
  {},
  {
    $id: "OtlpRequest",
    description:
      "An OTLP 1.x request: ExportTraceServiceRequest, ExportLogsServiceRequest or ExportMetricsServiceRequest.",
  },
);

/** Errors of OTLP, in the encoding of the request. */
export const RpcStatus = Type.Object(
  { code: Type.Integer({ description: "A gRPC status code." }), message: Type.String() },
  { $id: "RpcStatus", description: "google.rpc.Status" },
);
