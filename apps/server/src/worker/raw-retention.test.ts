import { join } from "node:path";
import { DAY_MS, dayOf, endOfDay, toInstant } from "@assay/domain";
import { startEmbeddedClickHouse } from "@assay/storage";
import { type ClickHouseClient, createClient } from "@clickhouse/client";
import { pino } from "pino";
import { expect, test, vi } from "vitest";
import { experimentBody, metricBody, type WireExperiment } from "../test-support/experiments.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

const SECRET_TEXT = "the patient is called Ada";

/** Exposures and calls of 60 users, prompts included. */
function eventsOf(experimentId: string, at: number) {
  return Array.from({ length: 60 }, (_, user) => {
    const variant = user % 2 === 0 ? "control" : "treatment";
    const common = { experiment_id: experimentId, user_id: `u-${user}`, variant };
    const call = {
      latency_ms: 100 + ((user * 37) % 50) + (user % 2) * 30,
      prompt: `${SECRET_TEXT} (${user})`,
      response: "Noted.",
    };
    return [
      { ...common, event_id: `x-${user}`, type: "exposure", timestamp: toInstant(at) },
      { ...common, ...call, event_id: `c-${user}`, type: "model_call", timestamp: toInstant(at + 1) },
    ];
  }).flat();
}

/** Reads the raw log of a stopped service: rows, and those that still hold the text. */
async function rawRows(api: TestService): Promise<readonly number[]> {
  const { eventsUrl } = api.settings();
  if (eventsUrl !== null) return rawRowsOf(createClient({ url: eventsUrl }));
  const engine = await startEmbeddedClickHouse({
    dataDir: join(api.dataDir, "events"),
    log: pino({ level: "silent" }),
  });
  const { url, username, password } = engine;
  const rows = await rawRowsOf(createClient({ url, username, password }));
  await engine.close();
  return rows;
}

async function rawRowsOf(client: ClickHouseClient): Promise<readonly number[]> {
  const query = `SELECT toUInt32(count()), toUInt32(countIf(position(prompt, '${SECRET_TEXT}') > 0)) FROM raw_events`;
  const rows = await (await client.query({ query, format: "JSONCompactEachRow" })).json<readonly number[]>();
  await client.close();
  return rows[0] ?? [];
}

const analyze = async (api: TestService, id: string) => {
  interface Row {
    readonly effect: number;
    readonly p_value: number;
    readonly n_per_arm: Readonly<Record<string, number>>;
  }
  const { body } = await api.call<{ results: Record<string, Row> }>("POST", `/v1/experiments/${id}/analyze`);
  const { effect, p_value: pValue, n_per_arm: users } = body.results["latency::treatment"] as Row;
  return { effect, pValue, users };
};

/** Draws a dataset from all calls; it expires with them. */
async function drawDataset(api: TestService, experimentId: string, now: number) {
  const window = { from: toInstant(now - DAY_MS), until: toInstant(now), items: 100 };
  const { body } = await api.call<{ id: string; items: number; expires_at: string }>("POST", "/v1/datasets", {
    body: { name: "calls", from_experiment: { experiment_id: experimentId, ...window } },
  });
  expect(body.items).toBe(60);
  expect(Date.parse(body.expires_at)).toBe(endOfDay(dayOf(now)) + 7 * DAY_MS);
  return { path: `/v1/datasets/${body.id}` };
}

test("prompts go when the plan's retention is over; results, counts and repeats stay as they were", async () => {
  let now = Date.now() - 10 * DAY_MS;
  const api = await openTestService({ enforcePlanLimits: true }, { now: () => now });
  const key = await api.newKey("secret");
  const metrics = [metricBody("latency", { kind: "ratio", category: "latency" })];
  const create = { body: experimentBody("forgotten", { metrics }) };
  const { id } = (await api.call<WireExperiment>("POST", "/v1/experiments", create)).body;
  const events = eventsOf(id, now);
  const send = () => api.call<{ accepted: number }>("POST", "/v1/events", { key, body: events });
  expect((await send()).body.accepted).toBe(events.length);
  now += 1_000;
  const before = await analyze(api, id);

  const dataset = await drawDataset(api, id, now);

  now += 10 * DAY_MS;
  // The sweep runs at the start; the log shows when it has removed something.
  await api.restart();
  await vi.waitFor(() => expect(api.logged()).toContain(`"removed":${events.length}`), 20_000);
  await vi.waitFor(() => expect(api.logged()).toContain('"datasets":1'), 20_000);
  expect((await api.call("GET", dataset.path)).status).toBe(404);
  expect(await analyze(api, id)).toEqual(before);
  expect((await send()).body.accepted).toBe(events.length);
  expect(await analyze(api, id)).toEqual(before);
  await api.service.close();
  expect(await rawRows(api)).toEqual([0, 0]);
  await api.stop();
});
