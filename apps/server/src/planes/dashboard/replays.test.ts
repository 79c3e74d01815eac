import { toInstant } from "@assay/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  experimentBody,
  metricBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface WireReplay {
  readonly experiment_id: string;
  readonly control: string;
  readonly until: string;
  readonly computed_at: string;
  readonly splits: number;
  readonly metrics: readonly {
    readonly metric: string;
    readonly users: number;
    readonly test: string | null;
    readonly false_positive_rate: number | null;
    readonly band_low: number | null;
    readonly band_high: number | null;
    readonly largest_user_share: number | null;
    readonly verdict: string;
    readonly causes: readonly string[];
    readonly detail: string;
  }[];
}

const HOUR_MS = 3_600_000;
const USERS = 300;
const METRICS = [
  metricBody("bought", { kind: "binary" }),
  metricBody("latency", {
    kind: "quantile",
    category: "latency",
    quantile: 0.9,
    source: { event: "model_call", field: "latency_ms" },
  }),
];

let api: TestService;
let experiment: WireExperiment;
beforeAll(async () => {
  api = await openTestService();
  experiment = await create("aa", { metrics: METRICS });
  await sendCalls();
});
afterAll(() => api.stop());

const create = async (name: string, change: Readonly<Record<string, unknown>> = {}) =>
  (await api.call<WireExperiment>("POST", "/v1/experiments", { body: experimentBody(name, change) })).body;
const at = ({ id }: Pick<WireExperiment, "id">) => `/v1/experiments/${id}/replay`;

/** Users of control, a third of whom buy. The first makes as many calls as all others together. */
async function sendCalls(): Promise<void> {
  const key = await api.newKey("secret");
  const timestamp = toInstant(Date.now() - HOUR_MS);
  const rows = Array.from({ length: USERS }, (_, user) => {
    const own = { experiment_id: experiment.id, user_id: `user-${user}`, variant: "control", timestamp };
    const calls = Array.from({ length: user === 0 ? 2 * USERS : 2 }, (_, call) => ({
      ...{ ...own, event_id: `call-${user}-${call}`, type: "model_call", status: "completed" },
      latency_ms: 100 + ((user * 7_919 + call * 104_729) % 900),
    }));
    const bought = { ...own, event_id: `bought-${user}`, type: "business_event", business_metric: "bought" };
    return [
      { ...own, event_id: `seen-${user}`, type: "exposure" },
      ...calls,
      ...(user % 3 === 0 ? [bought] : []),
    ];
  }).flat();
  for (let from = 0; from < rows.length; from += 500) {
    const events = rows.slice(from, from + 500);
    const sent = await api.call<{ accepted: number }>("POST", "/v1/events", { key, body: { events } });
    expect(sent.body.accepted).toBe(events.length);
  }
}

test("a replay finds the metric that one user carries, and stays readable", async () => {
  const before = await api.call<WireProblem>("GET", at(experiment));
  expect([before.status, slugOf(before.body)]).toEqual([404, "replay-not-found"]);
  const { status, body } = await api.call<WireReplay>("POST", at(experiment));
  expect(status).toBe(200);
  expect(body).toMatchObject({ experiment_id: experiment.id, control: "control", splits: 1_000 });
  const [bought, latency] = body.metrics;
  expect(bought).toMatchObject({
    ...{ metric: "bought", users: USERS, test: "two_proportion_z", band_low: 0.033, band_high: 0.069 },
    largest_user_share: null,
  });
  // The splits depend on the experiment's id, and one in a hundred ids puts the rate of a correct test outside its 99 % band.
  const rate = bought?.false_positive_rate ?? 1;
  expect(Math.abs(rate - 0.05)).toBeLessThan(0.03);
  const expected = rate < 0.033 ? "cautious" : rate > 0.069 ? "false-alarms" : "correct";
  expect(bought?.verdict).toBe(expected);
  expect(latency).toMatchObject({ metric: "latency", users: USERS });
  expect(latency?.verdict).not.toBe("correct");
  expect(latency?.causes).toContain("heavy-users");
  expect(latency?.detail).toContain("One user holds 50% of the total");
  expect((await api.call<WireReplay>("GET", at(experiment))).body).toEqual(body);
  interface Audit {
    readonly items: readonly { readonly action: string; readonly summary: string }[];
  }
  const audit = await api.call<Audit>("GET", "/v1/audit?limit=5");
  expect(audit.body.items.find(({ action }) => action === "experiment.replay")?.summary).toBe(
    `Replayed the control arm: ${expected === "correct" ? 1 : 2} of 2 metrics need a look.`,
  );
});

test("one replay of an org runs at a time, of whichever experiment", async () => {
  const other = await create("another");
  const answers = await Promise.all([experiment, other].map((one) => api.call<WireProblem>("POST", at(one))));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  const refused = answers.find(({ status }) => status === 409)?.body as WireProblem;
  expect(slugOf(refused)).toBe("replay-under-way");
  expect(refused.detail).toContain("Wait for the other replay");
  expect((await api.call("POST", at(other))).status).toBe(200);
});

test("an experiment without data says so", async () => {
  const draft = await create("draft", { status: "draft" });
  const { body } = await api.call<WireReplay>("POST", at(draft));
  expect(body.metrics.length).toBeGreaterThan(0);
  for (const metric of body.metrics) {
    expect(metric).toMatchObject({ verdict: "no-data", users: 0, false_positive_rate: null });
    expect(metric.detail).toBe("Not enough data. Needs 40 users of the control variant.");
  }
});

test("another org has no such experiment", async () => {
  const token = await api.token({ email: "o@elsewhere.org", org: "elsewhere" });
  for (const method of ["GET", "POST"] as const) {
    const { status, body } = await api.call<WireProblem>(method, at(experiment), { token });
    expect([status, slugOf(body)]).toEqual([404, "experiment-not-found"]);
  }
});
