import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { makeClient, startService } from "../test-support/client-fixture.ts";
import { readVectors } from "../test-support/read-vectors.ts";
import { sampleConfig } from "../test-support/sample-config.ts";
import { clockOffset } from "./clock-offset.ts";

interface ClockCase {
  readonly name: string;
  readonly known_offset_ms: number;
  readonly sent_at_ms: number;
  readonly answered_at_ms: number;
  readonly date: string | null;
  readonly offset_ms: number;
}
const { cases } = readVectors<{ cases: readonly ClockCase[] }>("clock");

test.each(cases)("clock.json: $name", ({ known_offset_ms, sent_at_ms, answered_at_ms, date, offset_ms }) => {
  expect(clockOffset(known_offset_ms, sent_at_ms, answered_at_ms, date)).toBe(offset_ms);
});

const HOUR_MS = 3_600_000;
let server: ScriptedServer;
beforeEach(async () => {
  server = await startService();
  vi.spyOn(Date, "now").mockImplementation(() => performance.timeOrigin + performance.now() - HOUR_MS);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.stop();
});

const SALE = { experiment_id: "greeting", user_id: "u", business_metric: "sale" };

/** How far behind the real time a client's events are after it has loaded its config. */
async function lagsOf(now?: () => number): Promise<{ lags: readonly number[]; lines: readonly string[] }> {
  const { client, lines } = makeClient(server, { now });
  await client.ready();
  client.track("business_event", SALE);
  client.track("business_event", { ...SALE, timestamp: Date.now() });
  await client.flush();
  const real = performance.timeOrigin + performance.now();
  const times = server.batches.flat().map(({ timestamp }) => Date.parse(String(timestamp)));
  return { lags: times.map((time) => Math.round((real - time) / 60_000)), lines: [...lines] };
}

test("a clock an hour behind: events have the service's time, unless the caller gave a time", async () => {
  const { lags, lines } = await lagsOf();
  expect(lags).toEqual([0, 60]);
  const said = lines.filter((line) => line.includes("clock"));
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/clock off by -(3599|3600|3601) s/);
});

test("a clock given by the caller is not corrected", async () => {
  const { lags, lines } = await lagsOf(() => Date.now());
  expect(lags).toEqual([60, 60]);
  expect(lines.filter((line) => line.includes("clock"))).toEqual([]);
});

test("the date of a proxy's page is ignored", async () => {
  server.script("/v1/config", { status: 200, headers: { date: "Thu, 01 Jan 2026 00:00:00 GMT" }, body: {} });
  const { client, lines } = makeClient(server, { now: undefined, bootstrap: sampleConfig() });
  await server.received("/v1/config", 1);
  await expect.poll(() => lines.some((line) => line.includes("config not loaded"))).toBe(true);
  expect(lines.filter((line) => line.includes("clock"))).toEqual([]);
  await client.close(0);
});
