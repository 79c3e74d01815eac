import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { experimentBody, metricBody, type WireExperiment } from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface Live {
  readonly exposures: Readonly<Record<string, number>>;
  readonly users: Readonly<Record<string, number>>;
  readonly evaluated_events: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly exposures_by_minute: readonly unknown[];
}

const NOON = Date.parse("2026-03-10T12:00:20.000Z");
let api: TestService;
let experiment: WireExperiment;

beforeAll(async () => {
  api = await openTestService({}, { now: () => NOON });
  const metrics = [
    metricBody("latency", { kind: "ratio", category: "latency" }),
    metricBody("bought", { kind: "binary" }),
    metricBody("judged", { kind: "ordinal", category: "quality" }),
  ];
  const body = experimentBody("watched", { metrics });
  experiment = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
});
afterAll(() => api.stop());

const live = async () => (await api.call<Live>("GET", `/v1/experiments/${experiment.id}/live`)).body;

let sent = 0;
const event = (type: string, userId: string, fields: object) => ({
  event_id: `e${sent++}`,
  type,
  experiment_id: experiment.id,
  user_id: userId,
  ...fields,
});
const exposed = (userId: string, variant: string, timestamp: string) =>
  event("exposure", userId, { variant, timestamp: `2026-03-10T${timestamp}Z` });
const called = (userId: string, variant: string, latency: number | null) =>
  event("model_call", userId, { variant, timestamp: "2026-03-10T12:00:10Z", latency_ms: latency });

test("an experiment that nobody met has zeros and no minutes", async () => {
  expect(await live()).toMatchObject({
    evaluated_events: {
      latency: { control: 0, treatment: 0 },
      bought: { control: 0, treatment: 0 },
    },
    exposures_by_minute: [],
  });
});

test("counts what gave each metric a value, and exposures of the last hour by the minute", async () => {
  const events = [
    exposed("c1", "control", "10:00:00"),
    exposed("c2", "control", "11:00:59.999"),
    exposed("c3", "control", "11:01:00"),
    exposed("t1", "treatment", "11:30:00"),
    exposed("c1", "control", "11:30:59.999"),
    { ...exposed("tester", "treatment", "12:00:00"), metadata: { assay_test: true } },
    // Its clock is ahead: not yet.
    exposed("c4", "control", "12:00:21"),
    called("c1", "control", 5),
    called("c1", "control", 0),
    called("c2", "control", null),
    called("t1", "treatment", 7),
    called("t1", "control", 7),
    called("tester", "treatment", 7),
    event("business_event", "c1", {
      business_metric: "bought",
      variant: "control",
      timestamp: "2026-03-10T12:00:10Z",
    }),
  ];
  const key = await api.newKey("secret");
  const ack = await api.call<{ accepted: number }>("POST", "/v1/events", { key, body: events });
  expect(ack.body.accepted).toBe(events.length);
  await vi.waitFor(async () => expect((await live()).users).toEqual({ control: 3, treatment: 2 }), 10_000);
  const { evaluated_events: evaluated, exposures_by_minute: minutes } = await live();
  expect(evaluated).toEqual({
    latency: { control: 2, treatment: 1 },
    bought: { control: 3, treatment: 1 },
  });
  expect(minutes).toEqual([
    { minute: "2026-03-10T11:01:00.000Z", exposures: { control: 1 } },
    { minute: "2026-03-10T11:30:00.000Z", exposures: { control: 1, treatment: 1 } },
    { minute: "2026-03-10T12:00:00.000Z", exposures: { treatment: 1 } },
  ]);
});
