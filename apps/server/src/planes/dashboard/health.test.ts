import { CHECK_CODES, DAY_MS, toInstant } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { experimentBody, metricBody, type WireExperiment } from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface WireCheck {
  readonly code: string;
  readonly severity: string;
  readonly detail: string;
  readonly action: string | null;
  readonly measure: string;
  readonly value: number | null;
  readonly threshold: number;
  readonly since: string | null;
  readonly arms: Readonly<Record<string, { readonly count: number; readonly of: number }>>;
}
interface WireHealth {
  readonly experiment_id: string;
  readonly as_of: string;
  readonly computed_for: string | null;
  readonly checks: readonly WireCheck[];
  readonly remarks: readonly { readonly code: string; readonly severity: string; readonly detail: string }[];
}

/** What was sent is stored by then, however busy the machine. */
const PATIENT = { timeout: 80_000 };
const HOUR_MS = 3_600_000;
const now = Date.now();
const at = now - HOUR_MS;

let api: TestService;
let key: string;
beforeAll(async () => {
  api = await openTestService();
  key = await api.newKey("secret");
});
afterAll(() => api.stop());

const create = async (name: string, change: Readonly<Record<string, unknown>> = {}) =>
  (await api.call<WireExperiment>("POST", "/v1/experiments", { body: experimentBody(name, change) })).body;
const healthOf = async ({ id }: WireExperiment) =>
  (await api.call<WireHealth>("GET", `/v1/experiments/${id}/health`)).body;
const severities = ({ checks }: WireHealth) =>
  Object.fromEntries(checks.map(({ code, severity }) => [code, severity]));

type Row = Readonly<Record<string, unknown>>;

async function send(experiment: WireExperiment, rows: readonly Row[]): Promise<void> {
  const events = rows.map((row, index) => ({
    event_id: `${experiment.id}-${index}`,
    experiment_id: experiment.id,
    timestamp: toInstant(at),
    ...row,
  }));
  const answer = await api.call<{ accepted: number }>("POST", "/v1/events", { key, body: { events } });
  expect(answer.body.accepted).toBe(events.length);
}

const times = (count: number, row: (index: number) => Row) => Array.from({ length: count }, (_, i) => row(i));
const exposures = (variant: string, count: number) =>
  times(count, (i) => ({ type: "exposure", user_id: `${variant}-${i}`, variant }));
/** A completed call of the configured model with usage; nothing of it in the cache. */
const call = (variant: string, i: number, change: Row = {}): Row => ({
  type: "model_call",
  user_id: `${variant}-${i}`,
  variant,
  timestamp: toInstant(at + 1000),
  model: "gpt-4o-2024-08-06",
  input_tokens: 100,
  cached_input_tokens: 0,
  output_tokens: 10,
  finish_reason: "stop",
  ...change,
});

const USERS = 120;

/** Every fault that a check looks for, in treatment; control has 80 users more than its share. */
const faultyRows: readonly Row[] = [
  ...exposures("control", USERS + 80),
  ...exposures("treatment", USERS),
  ...times(3, (i) => ({
    ...{ type: "exposure", user_id: `tester-${i}`, variant: "control" },
    metadata: { assay_test: true },
  })),
  ...times(12, (i) => ({
    type: "exposure",
    user_id: `treatment-${i}`,
    variant: "control",
    timestamp: toInstant(at + 5),
  })),
  ...times(USERS, (i) => call("control", i)),
  ...times(USERS, (i) => call("treatment", i, { cached_input_tokens: 60 })),
  ...times(20, (i) => call("treatment", i, { error: true, input_tokens: null, output_tokens: null })),
  ...times(20, (i) => call("treatment", i, { finish_reason: "length" })),
  ...times(20, (i) => call("treatment", i, { model: "gpt-4o-mini" })),
  ...times(20, (i) => call("treatment", i, { input_tokens: null, output_tokens: null })),
  ...times(20, (i) => call("treatment", i, { model: "home-grown" })),
  ...times(20, (i) => call("treatment", i, { timestamp: toInstant(now - 3 * DAY_MS) })),
  ...times(20, (i) => call("treatment", i, { timestamp: toInstant(now + 2 * HOUR_MS) })),
  ...times(20, (i) => ({
    type: "business_event",
    user_id: `treatment-${20 + i}`,
    variant: "control",
    business_metric: "bought",
    timestamp: toInstant(at + 2000),
  })),
];

describe("an experiment's health", () => {
  test("before any event lists every check, without data", async () => {
    const experiment = await create("nothing");
    const health = await healthOf(experiment);
    expect(health).toMatchObject({ experiment_id: experiment.id, computed_for: null, remarks: [] });
    // These are only about experiments with judges, QA users, metrics of runs or calls by OpenTelemetry.
    const special = ["qa-users", "lost-traces", "sampled-calls", "runs-left-out", "runs-without-end"];
    const common = CHECK_CODES.filter((code) => !code.startsWith("judge-") && !special.includes(code));
    expect(health.checks.map(({ code }) => code)).toEqual(common);
    expect(Math.abs(Date.parse(health.as_of) - Date.now())).toBeLessThan(60_000);
    expect(severities(health)).toMatchObject({
      srm: "no-data",
      "error-rate": "no-data",
      "test-events": "ok",
    });
  });

  test("of clean data is fine", async () => {
    const experiment = await create("clean");
    await send(
      experiment,
      ["control", "treatment"].flatMap((arm) => [
        ...exposures(arm, USERS),
        ...times(USERS, (i) => call(arm, i)),
      ]),
    );
    // Its parts are read in sequence, so an answer in between may include some events and not the rest.
    await vi.waitFor(async () => {
      const { checks } = await healthOf(experiment);
      const usage = checks.find(({ code }) => code === "missing-usage");
      expect(usage?.arms.treatment?.of).toBe(USERS);
      expect(checks.filter(({ severity }) => severity !== "ok").map(({ code }) => code)).toEqual([
        "srm-without-test-events",
        // The experiment leaves assigning to another system.
        "assignment-conflicts",
        // Neither version of the experiment nor the calls say which model was wanted.
        "other-model",
        // Its metric "bought" has no events yet.
        "misspelt-metrics",
      ]);
    }, PATIENT);
  });

  test("names every fault with its numbers, since when it is there, and what to do", async () => {
    const variables = { model: "gpt-4o" };
    const experiment = await create("faulty", {
      variants: ["control", "treatment"].map((variant) => ({ key: variant, variables })),
      metrics: [metricBody("cost", { kind: "ratio", category: "cost" })],
    });
    await send(experiment, faultyRows);
    const health = await vi.waitFor(async () => {
      const answer = await healthOf(experiment);
      const errors = answer.checks.find(({ code }) => code === "error-rate");
      expect(errors?.arms.treatment?.count).toBe(20);
      expect(severities(answer)).toMatchObject({ srm: "critical", "users-in-several-variants": "warning" });
      return answer;
    }, PATIENT);
    expect(severities(health)).toEqual({
      srm: "critical",
      "srm-without-test-events": "warning",
      "assignment-conflicts": "no-data",
      "ineligible-exposures": "ok",
      "outcomes-before-exposure": "ok",
      "missing-usage": "warning",
      "unpriced-calls": "warning",
      "error-rate": "warning",
      "truncated-answers": "warning",
      "cut-streams": "ok",
      "other-model": "warning",
      "cache-hit-gap": "warning",
      "users-in-several-variants": "warning",
      "late-events": "warning",
      "future-events": "warning",
      "variant-conflicts": "warning",
      "test-events": "info",
      "mixed-sources": "ok",
      "misspelt-metrics": "ok",
      "superseded-ids": "ok",
    });
    const check = (code: string) => health.checks.find((one) => one.code === code);
    expect(check("error-rate")).toMatchObject({
      measure: "share",
      value: 20 / (USERS + 140),
      threshold: 0.05,
      since: toInstant(at + 1000),
      arms: { control: { count: 0, of: USERS }, treatment: { count: 20, of: USERS + 140 } },
    });
    expect(check("unpriced-calls")?.detail).toContain("home-grown (20)");
    expect(check("other-model")?.arms.treatment?.count).toBe(40);
    expect(check("users-in-several-variants")).toMatchObject({ since: toInstant(at + 5) });
    expect(check("late-events")?.since).toBe(toInstant(now - 3 * DAY_MS));
    expect(check("future-events")?.since).toBe(toInstant(now + 2 * HOUR_MS));
    const found = health.checks.filter(({ severity }) => severity !== "ok" && severity !== "no-data");
    expect(found.every(({ action }) => action !== null)).toBe(true);
  });

  test("repeats the remarks of the last run beside what it judges now", async () => {
    const experiment = await create("remarked", {
      metrics: [metricBody("cost", { kind: "ratio", category: "cost" })],
    });
    await send(experiment, [
      ...["control", "treatment"].flatMap((arm) => [
        ...exposures(arm, USERS),
        ...times(USERS, (i) => call(arm, i)),
      ]),
      call("control", 0, { model: "home-grown" }),
    ]);
    const run = await api.call<{ computed_for: string; health: WireHealth["remarks"] }>(
      "POST",
      `/v1/experiments/${experiment.id}/analyze`,
    );
    expect(run.body.health).toEqual([
      expect.objectContaining({
        code: "unpriced-calls",
        severity: "info",
        detail: expect.stringContaining(`1 of ${2 * USERS + 1} completed calls`),
      }),
    ]);
    const health = await healthOf(experiment);
    expect([health.computed_for, health.remarks]).toEqual([run.body.computed_for, run.body.health]);
    expect(severities(health)["unpriced-calls"]).toBe("info");
  });
});
