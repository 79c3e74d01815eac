import { randomUUID } from "node:crypto";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testEmbedded } from "../../../../tests/servers/embedded-only.ts";
import { experimentBody, type WireExperiment, type WireProblem } from "../test-support/experiments.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

let api: TestService;
let key: string;
beforeAll(async () => {
  api = await openTestService();
  key = await api.newKey("secret");
});
afterAll(() => api.stop());

const logLines = () =>
  api
    .logged()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const metrics = async () => (await fetch(`${api.service.url}/metrics`)).text();
const seriesOf = (text: string, name: string) =>
  text.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));

test("requests are timed by method, pattern of the route and class of the status", async () => {
  const created = await api.call<WireExperiment>("POST", "/v1/experiments", {
    body: experimentBody("timed"),
  });
  for (const id of [created.body.id, randomUUID(), randomUUID()])
    await api.call("GET", `/v1/experiments/${id}`);
  await api.call("GET", "/v1/config", { key });
  const counts = seriesOf(await metrics(), "assay_http_request_seconds_count");
  expect(counts).toContain(
    'assay_http_request_seconds_count{method="GET",route="/v1/experiments/:id",status="2xx"} 1',
  );
  expect(counts).toContain(
    'assay_http_request_seconds_count{method="GET",route="/v1/experiments/:id",status="4xx"} 2',
  );
  expect(counts).toContain(
    'assay_http_request_seconds_count{method="GET",route="/v1/config",status="2xx"} 1',
  );
});

test("addresses that there are not share one series, whatever they are", async () => {
  const before = seriesOf(await metrics(), "assay_http_request_seconds_count").length;
  for (let i = 0; i < 20; i++) await api.call(i % 2 === 0 ? "GET" : "DELETE", `/v1/${randomUUID()}`);
  const counts = seriesOf(await metrics(), "assay_http_request_seconds_count");
  expect(counts.length).toBeLessThanOrEqual(before + 2); // That of /metrics itself may be new.
  expect(counts).toContain('assay_http_request_seconds_count{method="any",route="none",status="4xx"} 20');
});

testEmbedded(
  "a failed request is logged once, with its id, route and duration, and its caller gets the id",
  async () => {
    const requestId = "proxy-7f3a9c01";
    const secretId = randomUUID();
    const database = new Database(join(api.dataDir, "control.sqlite"));
    database.exec("alter table experiments rename to gone");
    const headers = { "x-request-id": requestId };
    const answer = await api
      .call<WireProblem & { readonly instance: string }>("GET", `/v1/experiments/${secretId}`, {
        headers,
      })
      .finally(() => {
        database.exec("alter table gone rename to experiments");
        database.close();
      });
    expect([answer.status, answer.body.instance]).toEqual([500, `urn:request:${requestId}`]);
    const told = logLines().filter((line) => line.requestId === requestId);
    const where = { requestId, method: "GET", route: "/v1/experiments/:id", ms: expect.any(Number) };
    expect(told).toEqual([expect.objectContaining({ level: 50, ...where, msg: "a request failed" })]);
    expect(api.logged()).not.toContain(secretId);
  },
);

test("requests that succeed or that their callers spoil write no line", async () => {
  const before = logLines().length;
  await api.call("GET", "/v1/experiments");
  await api.call("GET", `/v1/experiments/${randomUUID()}`);
  await api.call("POST", "/v1/events", { key, body: "{" });
  expect(logLines().slice(before)).toEqual([]);
});
