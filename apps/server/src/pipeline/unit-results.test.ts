import { bucketOf } from "@assay/bucketing";
import { addDays, dayOf, startOfDay } from "@assay/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { experimentBody, metricBody, type WireExperiment } from "../test-support/experiments.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

const USERS = 120;
const CONVERSATIONS = 6;
const day = addDays(dayOf(Date.now()), -1);

interface Row {
  readonly effect: number;
  readonly ci_low: number;
  readonly ci_high: number;
  readonly n_per_arm: Readonly<Record<string, number>>;
  readonly users_per_arm?: Readonly<Record<string, number>>;
  readonly carry_over?: { readonly effect: number; readonly n_per_arm: Readonly<Record<string, number>> };
}
interface Results {
  readonly srm: { readonly observed: Readonly<Record<string, number>> };
  readonly results: Readonly<Record<string, Row>>;
  readonly health: readonly { readonly code: string }[];
}

let api: TestService;
let key: string;
beforeAll(async () => {
  api = await openTestService();
  key = await api.newKey("secret");
});
afterAll(() => api.stop());

test("a night compares conversations, with the error of their users, from events to the answer", async () => {
  const body = experimentBody("threads", {
    unit: "conversation",
    assignment: "assay",
    metrics: [
      metricBody("spent", { method_default: "welch_t" }),
      metricBody("latency", { kind: "ratio", category: "latency", method_default: "ratio_delta" }),
      metricBody("solved", { kind: "binary" }),
    ],
  });
  const { id } = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
  const counts: Record<string, number> = { control: 0, treatment: 0 };
  const events = Array.from({ length: USERS * CONVERSATIONS }, (_, i) => {
    const [user, turn] = [i % USERS, Math.floor(i / USERS)];
    const unit_id = `c${i}`;
    // Each arm has half of the buckets.
    const variant =
      bucketOf({ id, salt: body.salt, bucketCount: 1000 }, unit_id) < 500 ? "control" : "treatment";
    counts[variant]! += 1;
    const about = (kind: string) => ({
      ...{ event_id: `${kind}-${i}`, experiment_id: id, user_id: `user-${user}`, unit_id, variant },
      timestamp: startOfDay(day) + 3_600_000 * turn + 1_000 * user,
    });
    // Users differ far more than their conversations do.
    const value = 100 * (user % 10) + (i % 7) + (variant === "treatment" ? 5 : 0);
    return [
      { ...about("exposure"), type: "exposure" },
      { ...about("call"), type: "model_call", latency_ms: 100 + ((i * 104_729) % 900) },
      { ...about("spent"), type: "business_event", business_metric: "spent", value },
      ...(i % 3 === 0 ? [{ ...about("solved"), type: "business_event", business_metric: "solved" }] : []),
    ];
  }).flat();
  for (let from = 0; from < events.length; from += 1_000) {
    const rows = events.slice(from, from + 1_000);
    const { body: answer } = await api.call("POST", "/v1/events", { key, body: { events: rows } });
    expect(answer).toMatchObject({ accepted: rows.length, rejected: [] });
  }
  await api.call("POST", "/v1/admin/pipeline-runs", { body: { day, experiment_id: id } });
  const run = (await api.call<Results>("GET", `/v1/experiments/${id}/results?day=${day}`)).body;
  expect(run.srm.observed).toEqual(counts);
  expect(Object.keys(run.results).sort()).toEqual(
    ["latency", "solved", "spent"].map((name) => `${name}::treatment`),
  );
  for (const row of Object.values(run.results)) {
    expect(row.n_per_arm).toEqual(counts);
    expect(Math.max(...Object.values(row.users_per_arm!))).toBeLessThanOrEqual(USERS);
  }
  const spent = run.results["spent::treatment"]!;
  expect(Math.abs(spent.effect - 5)).toBeLessThan(60);
  const first = Object.values(spent.carry_over!.n_per_arm).reduce((sum, n) => sum + n, 0);
  expect(first).toBe(USERS);
  // Each conversation was assigned by itself, so the users' levels add no error but chance.
  const independent = 2 * 1.96 * 287 * Math.sqrt(1 / counts.control! + 1 / counts.treatment!);
  expect((spent.ci_high - spent.ci_low) / independent).toBeGreaterThan(0.7);
  expect((spent.ci_high - spent.ci_low) / independent).toBeLessThan(1.4);
});
