import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EmbeddedClickHouse, startEmbeddedClickHouse } from "@assay/storage";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { testEmbedded } from "../../../../../tests/servers/embedded-only.ts";
import {
  experimentBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { type FragileLine, openFragileLine } from "../../test-support/fragile-line.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface Health {
  readonly status: string;
  readonly version: string;
  readonly started_at: string;
  readonly dependencies: readonly {
    readonly name: string;
    readonly status: string;
    readonly latency_ms: number | null;
    readonly detail: string | null;
  }[];
  readonly queue: {
    readonly batches: number;
    readonly bytes: number;
    readonly oldest_age_seconds: number | null;
  };
  readonly pipeline: {
    readonly last_run: unknown;
    readonly next_run_at: string;
    readonly failures: readonly unknown[];
  };
}

const folder = mkdtempSync(join(tmpdir(), "assay-health-"));
const clock = { at: Date.UTC(2026, 10, 21, 12), now: () => clock.at };
let engine: EmbeddedClickHouse;
let line: FragileLine;
let api: TestService;
let experiment: WireExperiment;
let key: string;
beforeAll(async () => {
  engine = await startEmbeddedClickHouse({ dataDir: folder, log: pino({ level: "silent" }) });
  line = await openFragileLine(Number(new URL(engine.url).port));
  const eventsUrl = `http://${engine.username}:${engine.password}@127.0.0.1:${line.port}`;
  api = await openTestService({ eventsUrl, nightlyAtMinutes: 15 }, clock);
  key = await api.newKey("secret");
  const body = experimentBody("watched");
  experiment = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
});
afterAll(async () => {
  await api.stop();
  await line.close();
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const path = "/v1/admin/health";
const health = async () => {
  const { status, body } = await api.call<Health>("GET", path);
  expect(status).toBe(200);
  return body;
};
const readyz = async () => {
  const response = await fetch(`${api.service.url}/readyz`);
  return { status: response.status, body: await response.json() };
};
const dependency = async (name: string) => (await health()).dependencies.find((one) => one.name === name);
const runYesterday = () => api.call("POST", "/v1/admin/pipeline-runs", { body: { day: "2026-11-20" } });
const check = (status: string, required: boolean) => ({ status, required, latency_ms: expect.any(Number) });
const up = { status: "ok", latency_ms: expect.any(Number), detail: null };

test("a healthy service says so, with its version and when the next night is", async () => {
  const { started_at: startedAt, version, ...rest } = await health();
  expect(Date.parse(startedAt)).toBeLessThan(Date.now());
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
  expect(rest).toEqual({
    status: "ok",
    dependencies: [
      { name: "control_plane", ...up },
      { name: "event_store", ...up },
      { name: "queue", ...up },
    ],
    queue: { batches: 0, bytes: 0, oldest_age_seconds: null },
    pipeline: { last_run: null, next_run_at: "2026-11-22T00:15:00.000Z", failures: [] },
  });
  expect(await readyz()).toEqual({
    status: 200,
    body: {
      status: "ok",
      role: "all",
      checks: {
        control_plane: check("ok", false),
        event_store: check("ok", false),
        queue: check("ok", true),
      },
    },
  });
});

test.each([
  { state: "cut", says: /^The event store does not answer\.$/ },
  { state: "hanging", says: /^No answer within 2 s\.$/ },
] as const)(
  "an event store whose line is $state is down, but who takes events stays ready",
  async ({ state, says }) => {
    line.set(state);
    const { status, dependencies } = await health();
    expect(status).toBe("down");
    expect(dependencies).toMatchObject([
      { name: "control_plane", ...up },
      { name: "event_store", status: "down", detail: expect.stringMatching(says) },
      { name: "queue", status: "ok" },
    ]);
    expect(await readyz()).toMatchObject({
      status: 200,
      body: {
        status: "degraded",
        checks: { control_plane: check("ok", false), event_store: check("unavailable", false) },
      },
    });
    line.set("open");
    await vi.waitFor(async () => expect((await health()).status).toBe("ok"), 10_000);
  },
);

// A shared queue computes ages with its servers' clocks, which a test cannot set.
testEmbedded(
  "events that nobody stores wait in the queue, which is degraded after a minute and recovers",
  async () => {
    line.set("cut");
    const event = { type: "exposure", experiment_id: experiment.id, user_id: "ann", timestamp: clock.at };
    const sent = await api.call("POST", "/v1/events", { key, body: [{ event_id: "waits", ...event }] });
    expect(sent.status).toBe(202);
    clock.at += 60_000;
    expect(await health()).toMatchObject({
      queue: { batches: 1, bytes: expect.any(Number), oldest_age_seconds: 60 },
    });
    expect(await dependency("queue")).toMatchObject({ status: "ok" });
    clock.at += 1_000;
    expect(await dependency("queue")).toMatchObject({
      status: "degraded",
      detail: expect.stringMatching(/^The oldest batch has waited for 61 s/),
    });
    line.set("open");
    await vi.waitFor(async () => expect((await health()).queue.batches).toBe(0), 20_000);
    expect((await health()).status).toBe("ok");
  },
  30_000,
);

test("a failed analysis is listed until a later try succeeds", async () => {
  line.set("cut");
  await runYesterday();
  line.set("open");
  const none = { computed: 0, withheld: 0, collecting: 0, failed: 0, running: 0 };
  const lastRun = { day: "2026-11-20", finished_at: new Date(clock.at).toISOString() };
  const failed = await health();
  expect(failed.status).toBe("degraded");
  expect(failed.pipeline).toEqual({
    last_run: { ...lastRun, outcomes: { ...none, failed: 1 } },
    next_run_at: "2026-11-22T00:15:00.000Z",
    failures: [
      {
        org_id: expect.any(String),
        experiment_id: experiment.id,
        name: "watched",
        day: "2026-11-20",
        detail: "The run failed. See the log for the cause.",
      },
    ],
  });
  await runYesterday();
  const recovered = await health();
  expect(recovered.status).toBe("ok");
  expect(recovered.pipeline).toMatchObject({
    last_run: { ...lastRun, outcomes: { ...none, collecting: 1 } },
    failures: [],
  });
});

test("is the platform owner's alone", async () => {
  const token = await api.token({ email: "owner@acme.org", org: "acme" });
  const { status, body } = await api.call<WireProblem>("GET", path, { token });
  expect([status, slugOf(body)]).toEqual([403, "platform-owner-required"]);
  expect((await api.call("GET", path, { key })).status).toBe(401);
});
