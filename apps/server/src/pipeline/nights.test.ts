import { addDays, type Day, dayOf, startOfDay, toInstant } from "@assay/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { experimentBody, metricBody, type WireExperiment } from "../test-support/experiments.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

interface WireRow {
  readonly effect: number;
  readonly p_value: number;
  readonly p_value_seq: number;
  readonly ci_seq_low: number;
  readonly days_to_go: { readonly days: number | null };
}

const USERS = 500;
const days = [-4, -3, -2].map((back) => addDays(dayOf(Date.now()), back)) as [Day, Day, Day];
let api: TestService;
let key: string;
beforeAll(async () => {
  api = await openTestService();
  key = await api.newKey("secret");
});
afterAll(() => api.stop());

/** New users of a day: everybody spends; treatment more by `lift`. */
async function sendDay(experiment: WireExperiment, day: Day, lift: number): Promise<void> {
  const events = Array.from({ length: USERS }, (_, user) => {
    const common = {
      experiment_id: experiment.id,
      user_id: `${day}-${user}`,
      variant: user % 2 === 0 ? "control" : "treatment",
      timestamp: toInstant(startOfDay(day) + 60_000 * user),
    };
    const value = 100 + ((user * 7919) % 50) + (user % 2) * lift;
    const spent = { type: "business_event", business_metric: "spent", value };
    return [
      { ...common, event_id: `${experiment.id}-${day}-${user}-exposure`, type: "exposure" },
      { ...common, event_id: `${experiment.id}-${day}-${user}-spent`, ...spent },
    ];
  }).flat();
  const sent = await api.call<{ accepted: number }>("POST", "/v1/events", { key, body: { events } });
  expect(sent.body.accepted).toBe(2 * USERS);
}

test("every night adds to what the nights before knew", async () => {
  const { body: experiment } = await api.call<WireExperiment>("POST", "/v1/experiments", {
    body: experimentBody("nights", { metrics: [metricBody("spent", { target_effect: 0.001 })] }),
  });
  const night = async (day: Day) => {
    await api.call("POST", "/v1/admin/pipeline-runs", { body: { day } });
    const path = `/v1/experiments/${experiment.id}/results?day=${day}`;
    const { body } = await api.call<{ results: Record<string, WireRow> }>("GET", path);
    return body.results["spent::treatment"]!;
  };
  await sendDay(experiment, days[0], 7);
  const first = await night(days[0]);
  expect(first.p_value_seq).toBeLessThan(0.01);

  // The difference goes away again; what was seen once stays seen, the interval of the night does not remember.
  await sendDay(experiment, days[1], -7);
  const second = await night(days[1]);
  expect(second.p_value).toBeGreaterThan(0.1);
  expect(second.p_value_seq).toBe(first.p_value_seq);
  expect(second.ci_seq_low).toBeLessThan(0);
  expect(second.days_to_go.days).toBeGreaterThan(1);

  await sendDay(experiment, days[2], 40);
  const third = await night(days[2]);
  expect(third.p_value_seq).toBeLessThan(first.p_value_seq);
});

test("those of several days run in order, each with what those before knew", async () => {
  const { body: experiment } = await api.call<WireExperiment>("POST", "/v1/experiments", {
    body: experimentBody("at once", { metrics: [metricBody("spent", { target_effect: 0.001 })] }),
  });
  await sendDay(experiment, days[0], 7);
  await sendDay(experiment, days[1], -7);
  const body = { from_day: days[0], day: days[1], experiment_id: experiment.id };
  const { body: report } = await api.call<{ day: Day; runs: readonly object[] }>(
    "POST",
    "/v1/admin/pipeline-runs",
    { body },
  );
  expect(report.day).toBe(days[1]);
  expect(report.runs).toMatchObject([
    { day: days[0], outcome: "computed" },
    { day: days[1], outcome: "computed" },
  ]);
  const results = async (day: Day) => {
    const path = `/v1/experiments/${experiment.id}/results?day=${day}`;
    const { body } = await api.call<{ results: Record<string, WireRow> }>("GET", path);
    return body.results["spent::treatment"]!;
  };
  expect((await results(days[0])).p_value_seq).toBeLessThan(0.01);
  expect((await results(days[1])).p_value).toBeGreaterThan(0.1);
  expect((await results(days[1])).p_value_seq).toBe((await results(days[0])).p_value_seq);
});

test.each([
  { from: 1, why: "a day after the last" },
  { from: -31, why: "the 32nd day" },
])("those from $why on are refused", async ({ from }) => {
  const body = { day: days[0], from_day: addDays(days[0], from) };
  const refused = await api.call<{ errors: readonly { pointer: string }[] }>(
    "POST",
    "/v1/admin/pipeline-runs",
    {
      body,
    },
  );
  expect([refused.status, refused.body.errors[0]?.pointer]).toEqual([400, "/from_day"]);
  const last = { ...body, from_day: addDays(body.from_day, from > 0 ? -1 : 1) };
  expect((await api.call("POST", "/v1/admin/pipeline-runs", { body: last })).status).toBe(200);
});
