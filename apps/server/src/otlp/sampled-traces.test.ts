import { afterAll, beforeAll, expect, test } from "vitest";
import { experimentBody, metricBody, type WireExperiment } from "../test-support/experiments.ts";
import { newTraceId, spanIdOf } from "../test-support/otlp-bodies.ts";
import { sendOtlp } from "../test-support/send-otlp.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

/** The evening before the night that analyzes it. */
let now = Date.UTC(2026, 4, 5, 20);
let api: TestService;
let key: string;
beforeAll(async () => {
  api = await openTestService({}, { now: () => now });
  key = await api.newKey("secret");
});
afterAll(() => api.stop());

const USERS_PER_ARM = 800;
/** Every nth trace of an arm is kept, and says so. */
const SAMPLERS = {
  control: { every: 2, traceState: "ot=th:8" },
  treatment: { every: 4, traceState: "ot=th:c" },
} as const;
const latencyOf = (n: number) => 300 + (n % 7);

interface Row {
  readonly control_value: number;
  readonly treatment_value: number;
  readonly n_per_arm: Readonly<Record<string, number>>;
  readonly events_per_arm: Readonly<Record<string, number>>;
}
interface Results {
  readonly withheld_by: string | null;
  readonly results: Readonly<Record<string, Row>>;
  readonly health: readonly { readonly code: string; readonly severity: string; readonly detail: string }[];
}

test("calls of sampled traces count for those that were dropped, with a probability of its own in each arm", async () => {
  const source = { event: "model_call", field: "latency_ms" };
  const metrics = [
    metricBody("latency", { kind: "ratio", category: "latency", method_default: "ratio_delta" }),
    metricBody("time_per_user", { kind: "mean", source, method_default: "welch_t" }),
    metricBody("median", { kind: "quantile", quantile: 0.5, source }),
    metricBody("called", { kind: "binary", source }),
  ];
  const body = experimentBody("sampled", { assignment: "external", flag_key: "flag", metrics });
  const created = await api.call<WireExperiment>("POST", "/v1/experiments", { body });
  expect(created.status).toBe(201);
  const experiment = created.body;

  const traces = Object.entries(SAMPLERS).flatMap(([variant, { every, traceState }]) =>
    Array.from({ length: USERS_PER_ARM }, (_, n) => {
      const place = { traceId: newTraceId(), spanId: spanIdOf(1), at: now - 2 * 3_600_000 };
      const attributes = {
        "feature_flag.key": "flag",
        "feature_flag.result.variant": variant,
        "feature_flag.context.id": `${variant}-${n}`,
      };
      const call = { "gen_ai.operation.name": "chat", "gen_ai.system": "openai" };
      const span = { ...place, traceState, endsAt: place.at + latencyOf(n), attributes: call };
      return {
        log: { ...place, name: "feature_flag.evaluation", attributes },
        spans: n % every === 0 ? [span] : [],
      };
    }),
  );
  await sendOtlp(api, key, {
    logs: traces.map(({ log }) => log),
    spans: traces.flatMap(({ spans }) => spans),
  });
  now += 60_000;
  const stored = async () =>
    (await api.call<{ readonly events: { readonly used: number } }>("GET", "/v1/usage")).body.events.used;
  await expect.poll(stored, { timeout: 60_000, interval: 500 }).toBe(2 * USERS_PER_ARM + 400 + 200);
  now = Date.UTC(2026, 4, 6, 1);
  expect((await api.call("POST", "/v1/admin/pipeline-runs", { body: { day: "2026-05-05" } })).status).toBe(
    200,
  );
  const path = `/v1/experiments/${experiment.id}`;
  const resultsOf = async () => (await api.call<Results>("GET", `${path}/results`)).body;
  // The schedule of the service may have begun the night by itself.
  await expect.poll(async () => (await resultsOf()).withheld_by, { timeout: 80_000 }).toBeNull();
  const { results, health } = await resultsOf();

  const kept = (every: number) =>
    Array.from({ length: USERS_PER_ARM }, (_, n) => n).filter((n) => n % every === 0);
  const mean = (every: number) => kept(every).reduce((sum, n) => sum + latencyOf(n), 0) / kept(every).length;
  for (const name of ["latency", "time_per_user"]) {
    // The sampler keeps exactly its share here, so a user's mean sum is the mean of a call.
    const row = results[`${name}::treatment`]!;
    expect([row.control_value, row.treatment_value]).toEqual([2, 4].map((n) => expect.closeTo(mean(n), 9)));
    expect(row.n_per_arm).toEqual({ control: USERS_PER_ARM, treatment: USERS_PER_ARM });
    expect(row.events_per_arm).toEqual({ control: 400, treatment: 200 });
  }
  expect(Object.keys(results)).toHaveLength(2);
  const sampled = health.filter(({ code }) => code === "metric-sampled");
  expect(sampled.map(({ detail }) => detail.split(" ")[0])).toEqual(["median", "called"]);
  const expected = { severity: "warning", detail: expect.stringContaining("control 50%, treatment 25%") };
  expect(health).toContainEqual(expect.objectContaining({ code: "sampled-calls", ...expected }));

  const { body: live } = await api.call<{
    readonly checks: readonly { readonly code: string; readonly severity: string; readonly detail: string }[];
  }>("GET", `${path}/health`);
  expect(live.checks).toContainEqual(expect.objectContaining({ code: "sampled-calls", ...expected }));
  expect(live.checks.find(({ code }) => code === "lost-traces")).toMatchObject({
    severity: "ok",
    detail: expect.stringContaining("known probability"),
  });
}, 180_000);
