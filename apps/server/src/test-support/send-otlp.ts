import { expect } from "vitest";
import { logsOf, type ShortLog, type ShortSpan, toProtobuf, tracesOf } from "./otlp-bodies.ts";
import type { TestService } from "./test-service.ts";

/** Sends log records, then spans, as protobuf with a key, and expects that all are accepted. */
export async function sendOtlp(
  { service }: TestService,
  key: string,
  { logs = [], spans = [] }: { readonly logs?: readonly ShortLog[]; readonly spans?: readonly ShortSpan[] },
): Promise<void> {
  const post = async (signal: "traces" | "logs", body: Buffer) => {
    const headers = { "x-api-key": key, "content-type": "application/x-protobuf" };
    const response = await fetch(`${service.url}/v1/otlp/v1/${signal}`, { method: "POST", headers, body });
    expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, 0]);
  };
  if (logs.length > 0) await post("logs", toProtobuf("Logs", logsOf(logs)));
  if (spans.length > 0) await post("traces", toProtobuf("Traces", tracesOf(spans)));
}
