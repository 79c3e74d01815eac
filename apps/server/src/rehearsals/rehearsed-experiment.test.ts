import { randomUUID } from "node:crypto";
import { DAY_MS, toInstant } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WireExperiment } from "../test-support/experiments.ts";
import { comparedData, preference, wanted } from "../test-support/judge-completion.ts";
import type { JudgedService } from "../test-support/judged-service.ts";
import {
  itemsOf,
  openRehearsingService,
  putDataset,
  startRehearsal,
  untilState,
  type WireRehearsal,
} from "../test-support/rehearsals.ts";

/** Characters of a short answer. */
const SHORT = 12;

let world: JudgedService;
let rehearsal: WireRehearsal;
beforeAll(async () => {
  world = await openRehearsingService();
  // Short answers are as good as others, and cost less.
  world.judge.always((request) => {
    if (wanted(request) === "preference") {
      const { input, first } = comparedData(request);
      const isShortBetter = Number(/\d+/.exec(input)?.[0]) % 2 === 0;
      return { content: preference((first.length === SHORT) === isShortBetter ? "first" : "second") };
    }
    const asked = request.messages.at(-1)?.content ?? "";
    return { content: request.model === "m-2" ? asked.slice(0, SHORT) : `${asked} `.repeat(12) };
  });
  const datasetId = await putDataset(world.api, itemsOf(120));
  rehearsal = await untilState(world, await startRehearsal(world.api, datasetId, { margin: 1 }), "done");
});
afterAll(() => world.close());

interface WireSummary {
  readonly entries: number;
  readonly found: number;
  readonly agreed: number;
  readonly slope: number | null;
}

interface WireForecast {
  readonly experiment_id: string | null;
  readonly treatments: readonly string[];
  readonly users_per_day: number | null;
  readonly rows: readonly {
    readonly metric: string;
    readonly unit: string;
    readonly online_metric: string | null;
    readonly effect: number;
    readonly low: number;
    readonly high: number;
    readonly ledger: WireSummary;
    readonly needed: { readonly users: number; readonly days: number | null } | null;
    readonly notes: readonly string[];
  }[];
}

interface WireLedger {
  readonly metrics: readonly (WireSummary & { readonly metric: string })[];
  readonly items: readonly {
    readonly rehearsal_id: string;
    readonly experiment: Readonly<Record<string, unknown>>;
    readonly treatments: readonly string[];
    readonly pairs: readonly {
      readonly metric: string;
      readonly rehearsed: number;
      readonly found: number;
    }[];
  }[];
}

const readForecast = async () =>
  (await world.api.call<WireForecast>("GET", `/v1/rehearsals/${rehearsal.id}/forecast`)).body;
const readLedger = async () => (await world.api.call<WireLedger>("GET", "/v1/rehearsal-ledger")).body;

const draft = (body: object, id = rehearsal.id) =>
  world.api.call<WireExperiment & { detail: string }>("POST", `/v1/rehearsals/${id}/experiments`, { body });

const send = async (events: readonly object[]) => {
  const { status, body } = await world.api.call<{ rejected: readonly unknown[] }>("POST", "/v1/events", {
    ...{ key: world.key, body: { events } },
  });
  expect([status, body.rejected?.slice(0, 2)]).toEqual([202, []]);
};

/** A user's exposure and model call: control's costs 10, the treatment's 6, more or less. */
function visit(experimentId: string, user: number, at: number): readonly object[] {
  const variant = user % 2 === 0 ? "control" : "short";
  const common = { experiment_id: experimentId, user_id: `u${user}`, variant, timestamp: toInstant(at) };
  const cost = (variant === "control" ? 10 : 6) + (Math.floor(user / 2) % 5) / 10;
  return [
    { ...common, type: "exposure", event_id: `e${user}` },
    { ...common, type: "model_call", event_id: `c${user}`, cost_usd: cost, latency_ms: 100 },
  ];
}

describe("a rehearsal's experiment", () => {
  test("is a draft with the surviving arms, which the ledger follows to its end", async () => {
    const { status, body: made } = await draft({ name: "shorter" });
    expect(status).toBe(201);
    expect(made).toMatchObject({
      ...{ name: "shorter", status: "draft", control: "control" },
      variants: [
        { key: "control", prompt: expect.stringContaining("patient"), variables: { model: "m-1" } },
        { key: "short", variables: { model: "m-2", seed: 7 } },
      ],
      metrics: [{ name: "quality" }, { name: "cost" }, { name: "latency" }, { name: "errors" }],
    });
    const item = { rehearsal_id: rehearsal.id, treatments: ["short"], pairs: [] };
    expect((await readLedger()).items).toMatchObject([
      { ...item, experiment: { id: made.id, status: "draft", outcome: null } },
    ]);
    const path = `/v1/experiments/${made.id}`;
    const started = await world.api.call("PUT", path, { body: { status: "running" } });
    expect(started.status).toBe(200);
    const users = Array.from({ length: 240 }, (_, user) => user);
    const assigned = await Promise.all(
      users.map((user) =>
        world.api.call<{ variant: string }>("POST", "/v1/assign", {
          ...{ key: world.key, body: { experiment_id: made.id, user_id: `u${user}` } },
        }),
      ),
    );
    const now = Date.now();
    await send(
      users.flatMap((user) => {
        const [exposure, call] = visit(made.id, user, now) as [object, object];
        const variant = assigned[user]?.body.variant;
        const cost = (variant === "control" ? 10 : 6) + (user % 5) / 10;
        return [
          { ...exposure, variant },
          { ...call, variant, cost_usd: cost },
        ];
      }),
    );
    await expect
      .poll(
        async () => {
          await world.api.call("POST", `${path}/analyze`);
          const { body } = await world.api.call<{ results?: object }>("GET", `${path}/results`);
          return Object.keys(body.results ?? {}).length;
        },
        { timeout: 60_000 },
      )
      .toBeGreaterThan(0);
    expect((await readLedger()).items[0]?.pairs).toEqual([]);
    const decision = { outcome: "won", variant: "short", note: "Cheaper." };
    expect((await world.api.call("PUT", path, { body: { status: "stopped", decision } })).status).toBe(200);
    const { items, metrics } = await readLedger();
    expect(items).toMatchObject([
      { experiment: { id: made.id, name: "shorter", status: "stopped", outcome: "won" } },
    ]);
    const pair = items[0]?.pairs.find(({ metric }) => metric === "cost_usd");
    expect(pair).toMatchObject({ treatment: "short", unit: "relative", online_metric: "cost" });
    expect(pair?.found).toBeCloseTo(-4 / 10.2, 1);
    expect(pair?.rehearsed).toBeLessThan(-0.2);
    expect(metrics.find(({ metric }) => metric === "cost_usd")).toEqual({
      ...{ metric: "cost_usd", entries: 1, found: 1, agreed: 1, slope: null },
    });
  });

  test("takes the treatments that somebody names, and says what is wrong with them", async () => {
    expect((await draft({ name: randomUUID(), treatments: ["short"] })).status).toBe(201);
    expect((await draft({ name: randomUUID(), treatments: ["control"] })).status).toBe(400);
    expect((await draft({ name: "shorter" })).status).toBe(409);
    const datasetId = await putDataset(world.api, itemsOf(3));
    const few = await untilState(world, await startRehearsal(world.api, datasetId), "done");
    expect(await draft({ name: randomUUID() }, few.id)).toMatchObject({
      ...{ status: 409, body: { detail: expect.stringContaining("name the treatments") } },
    });
    world.judge.always({ latencyMs: 100 });
    const running = await startRehearsal(world.api, await putDataset(world.api, itemsOf(50)));
    expect((await draft({ name: randomUUID() }, running.id)).status).toBe(409);
    const path = `/v1/rehearsals/${running.id}`;
    expect((await world.api.call("GET", `${path}/forecast`)).status).toBe(409);
    await world.api.call("POST", `${path}/stop`);
  });

  test("is of one org", async () => {
    const token = await world.api.token({ email: "eve@other.org", org: "others" });
    await world.api.call("GET", "/v1/whoami", { token });
    const path = `/v1/rehearsals/${rehearsal.id}`;
    expect((await world.api.call("GET", `${path}/forecast`, { token })).status).toBe(404);
    const body = { name: "theirs" };
    expect((await world.api.call("POST", `${path}/experiments`, { token, body })).status).toBe(404);
    const { body: ledger } = await world.api.call<WireLedger>("GET", "/v1/rehearsal-ledger", { token });
    expect(ledger).toMatchObject({ metrics: [], items: [], needed: 5 });
  });
});

test("the forecast has the effect, and from the org's history the users and days that finding it takes", async () => {
  const { id } = (await draft({ name: randomUUID() })).body;
  await world.api.call("PUT", `/v1/experiments/${id}`, { body: { status: "running" } });
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const past = Array.from({ length: 8 * 40 }, (_, i) =>
    visit(id, 1_000 + i, midnight - (1 + (i % 8)) * DAY_MS + 3_600_000),
  ).flat();
  await send(past);
  const ofCost = async () => (await readForecast()).rows.find(({ metric }) => metric === "cost_usd");
  await expect.poll(async () => (await ofCost())?.needed ?? null, { timeout: 60_000 }).not.toBeNull();
  const { experiment_id, treatments, users_per_day: usersPerDay } = await readForecast();
  expect({ experiment_id, treatments, usersPerDay }).toEqual({
    ...{ experiment_id: null, treatments: ["short"], usersPerDay: 40 },
  });
  const row = await ofCost();
  expect(row).toMatchObject({ unit: "relative", online_metric: "cost" });
  expect(row?.effect).toBeLessThan(-0.2);
  expect(row?.low).toBeLessThan(row?.effect ?? 0);
  expect(row?.high).toBeGreaterThan(row?.effect ?? 0);
  expect(row?.needed?.days).toBe(Math.ceil((row?.needed?.users ?? 0) / 40));
  expect(row?.notes.join()).toContain("Too little is known about how rehearsals and experiments agree here");
  // A preference has no unit online before the ledger has one.
  expect((await readForecast()).rows.map(({ metric }) => metric)).not.toContain("preference");
});
