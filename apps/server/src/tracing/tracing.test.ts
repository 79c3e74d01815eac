import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { TracingSettings } from "../settings/tracing-settings.ts";
import { experimentBody, type WireExperiment } from "../test-support/experiments.ts";
import { type ReceivedSpan, readTraces } from "../test-support/read-traces.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

const CALLER = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };

let collector: Server;
let api: TestService;
let key: string;
let experiment: WireExperiment;
const received: ReceivedSpan[] = [];
beforeAll(async () => {
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      if (request.url === "/v1/traces")
        received.push(
          ...readTraces(request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body),
        );
      response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const tracing: TracingSettings = {
    tracesUrl: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`,
    sampler: { name: { kind: "always_on", isParentBased: true }, ratio: 1 },
    resource: { "deployment.environment": "test" },
  };
  api = await openTestService({ tracing });
  key = await api.newKey("secret");
  const body = experimentBody("traced");
  experiment = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
  const event = { type: "exposure", experiment_id: experiment.id, user_id: "ann", timestamp: Date.now() };
  const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
  const sent = await api.call("POST", "/v1/events", {
    key,
    headers: { traceparent },
    body: [{ event_id: "traced-event", ...event }],
  });
  expect(sent.status).toBe(202);
  await api.call("GET", `/v1/experiments/${experiment.id}/health`);
  await api.call("POST", "/v1/admin/pipeline-runs", { body: { day: "2026-11-20" } });
  await fetch(`${api.service.url}/readyz`);
  await api.service.close(); // What is left is sent on the way out.
});
afterAll(async () => {
  await api.stop();
  await new Promise((resolve) => collector.close(resolve));
});

const named = (name: string) => received.filter((span) => span.name === name);
const parentOf = (span: ReceivedSpan) => received.find(({ spanId }) => spanId === span.parentSpanId);

test("a request is a part of its caller's trace, and what it does is a part of it", () => {
  const [request] = named("POST /v1/events");
  expect(request).toMatchObject({
    traceId: CALLER.traceId,
    parentSpanId: CALLER.spanId,
    attributes: {
      "http.request.method": "POST",
      "http.route": "/v1/events",
      "http.response.status_code": 202,
      "assay.request_id": expect.any(String),
    },
  });
  const [append] = named("queue.append");
  expect(append).toMatchObject({ traceId: CALLER.traceId, parentSpanId: request?.spanId });
});

test("the flush that stores its events is linked to it, and stores within its own trace", async () => {
  const [append] = named("queue.append");
  await vi.waitFor(() => expect(named("queue.flush")).toHaveLength(1), 20_000);
  const [flush] = named("queue.flush");
  expect(flush?.links).toEqual([{ traceId: CALLER.traceId, spanId: append?.parentSpanId }]);
  expect(flush?.parentSpanId).toBe("");
  const stored = named("event_store.append").map(parentOf);
  expect(stored).toEqual([flush]);
});

test("queries are named after their kind, transactions and nightly analyses are there", () => {
  const health = named("GET /v1/experiments/:id/health")[0];
  const queries = received.filter(({ parentSpanId }) => parentSpanId === health?.spanId);
  expect(queries.map(({ name }) => name)).toContain("event_store.loadRun");
  expect(named("control_plane.transaction").length).toBeGreaterThan(0);
  expect(named("nightly.experiment")[0]).toMatchObject({
    attributes: { "assay.experiment_id": experiment.id, "assay.day": "2026-11-20" },
  });
  expect(parentOf(named("nightly.experiment")[0]!)?.name).toBe("nightly");
});

test("the resource names service, version, role and process", () => {
  for (const { resource } of received)
    expect(resource).toMatchObject({
      "service.name": "assay",
      "service.version": expect.stringMatching(/^\d+\./),
      "service.instance.id": expect.any(String),
      "assay.role": "all",
      "deployment.environment": "test",
    });
});

test("probes make no spans, and no span carries a key, a user or a payload", () => {
  expect(received.some(({ name }) => name.includes("readyz"))).toBe(false);
  const text = JSON.stringify(received);
  for (const secret of [key, "ann", "traced-event"]) expect(text).not.toContain(secret);
});
