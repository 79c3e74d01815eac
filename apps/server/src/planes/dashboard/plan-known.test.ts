import {
  type ConfigInput,
  createMetric,
  firstVersion,
  type MetricInput,
  type UnitHistory,
  type UnitHistoryQuery,
} from "@assay/domain";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Deps } from "../../deps.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";
import { loadKnownAndGains } from "./plan-known.ts";

const NOW = Date.UTC(2026, 2, 10);

const metric = (name: string, change: Partial<MetricInput> = {}) =>
  createMetric({
    ...{ name, kind: "mean", category: "business", methodDefault: "auto", metricVersion: 1 },
    ...{ sharedOrgWide: false, ...change },
  });

/** Forty users have two units each, which are alike. */
const units = ({ metrics }: UnitHistoryQuery): UnitHistory => {
  const y = Float64Array.from({ length: 80 }, (_, i) => i >> 1);
  const once = y.map(() => 1);
  const unknown = y.map(() => Number.NaN);
  const sample = { type: "values" as const, y, d: once, preY: unknown, preD: unknown };
  const sums = { events: 80, users: 80, meanY: 19.5, m2Y: 1, meanD: 1, m2D: 0, cYD: 0 };
  return {
    ...{ users: 40, units: 80, unitsByDay: new Map() },
    metrics: metrics.map(({ name }) => ({
      ...sums,
      metric: name,
      sample: { ...sample, clusters: y },
    })) as unknown as UnitHistory["metrics"],
  };
};

let api: TestService;
let control: Deps["control"];
beforeAll(async () => {
  api = await openTestService();
  control = api.openControl();
});
afterAll(async () => {
  await control.close();
  await api.stop();
});

/** Loads a plan's facts over an event store that records what it is asked. */
async function load(request: Parameters<typeof loadKnownAndGains>[1], change: Partial<ConfigInput> = {}) {
  const loadBaseline = vi.fn(async () => ({ metrics: [], usersByDay: new Map() }));
  const loadUnitHistory = vi.fn(async (query: UnitHistoryQuery) => units(query));
  const list = vi.spyOn(control.experiments, "list");
  const content = firstVersion({
    ...{ name: "e", salt: "s", bucketCount: 1000 },
    allocation: ["control", "treatment"].map((variant) => ({ variant, weight: 1 })),
    metrics: [metric("spent"), metric("p95", { kind: "quantile", category: "latency", quantile: 0.95 })],
    ...change,
  });
  const deps = { control, events: { loadBaseline, loadUnitHistory }, clock: { now: () => NOW } };
  const { gains } = await loadKnownAndGains(
    { ...content, orgId: "00000000-0000-7000-8000-000000000000", id: null },
    request,
    deps as unknown as Deps,
  );
  const opened = list.mock.calls.length;
  list.mockRestore();
  const asked = loadUnitHistory.mock.calls.map(([{ unit, metrics }]) => [
    unit,
    metrics.map(({ name }) => name),
  ]);
  return { opened, baselines: loadBaseline.mock.calls.length, asked, gains: [...gains.keys()] };
}

const spent = { spent: { value: 10, sd: 4 } };
const both = { ...spent, p95: { value: 900, sd: 300 } };

test("the org's history is opened once, and units are read for the metrics that are planned from it", async () => {
  expect(await load({})).toEqual({
    ...{ opened: 1, baselines: 1, gains: ["spent"] },
    asked: [
      ["conversation", ["spent"]],
      ["run", ["spent"]],
    ],
  });
});

test.each([
  ["whose baseline is sent", { baselines: spent }, {}, 1],
  ["that are not asked for", { metrics: ["p95"] }, {}, 1],
  ["where the request says everything", { baselines: both, usersPerDay: 100 }, {}, 0],
  ["where only the traffic is left out", { baselines: both }, {}, 1],
] as const)("no units are read for metrics %s", async (_, request, change, opened) => {
  const asked = { ...request, ...("metrics" in request && { metrics: [...request.metrics] }) };
  expect(await load(asked, change)).toEqual({ opened, baselines: opened, asked: [], gains: [] });
});

test("an experiment on conversations reads its baseline by these, and nothing of smaller units", async () => {
  const found = await load({}, { unit: "conversation" });
  expect(found).toMatchObject({ opened: 1, baselines: 0, gains: [] });
  expect(found.asked).toEqual([["conversation", ["spent"]]]);
});
