import { addDays, dayOf, startOfDay, toInstant } from "@assay/domain";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { experimentBody, metricBody, type WireExperiment } from "../test-support/experiments.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

const USERS = 1000;
/** Each bootstraps a quantile: together they take seconds. */
const METRICS = 40;
const BATCH = 1000;
const UP_MS = 60_000;
/** Due whatever the time of day is: the next start catches it up. */
const day = addDays(dayOf(Date.now()), -2);
let api: TestService;
beforeAll(async () => {
  api = await openTestService();
});
afterAll(() => api.stop());

async function sendDay(experiment_id: string): Promise<void> {
  const key = await api.newKey("secret");
  const events = Array.from({ length: USERS }, (_, user) => {
    const common = {
      experiment_id,
      user_id: `user-${user}`,
      variant: user % 2 === 0 ? "control" : "treatment",
      timestamp: toInstant(startOfDay(day) + 1000 * user),
    };
    const calls = [1, 2, 3].map((call) => ({
      ...common,
      event_id: `${user}-${call}`,
      type: "model_call",
      latency_ms: 100 + ((user * 7919 + call * 104_729) % 1000),
    }));
    return [{ ...common, event_id: `${user}`, type: "exposure" }, ...calls];
  }).flat();
  for (let start = 0; start < events.length; start += BATCH) {
    const body = { events: events.slice(start, start + BATCH) };
    expect((await api.call("POST", "/v1/events", { key, body })).status).toBe(202);
  }
}

test(
  "a service that stops in the middle of a night does not wait for its end, and runs it again at the next start",
  async () => {
    const metrics = Array.from({ length: METRICS }, (_, index) =>
      metricBody(`m${index}`, {
        kind: "quantile",
        category: "latency",
        quantile: 0.5 + index / 100,
        method_default: "cluster_bootstrap",
      }),
    );
    const { body: experiment } = await api.call<WireExperiment>("POST", "/v1/experiments", {
      body: experimentBody("long", { metrics }),
    });
    await sendDay(experiment.id);
    const results = () => api.call("GET", `/v1/experiments/${experiment.id}/results?day=${day}`);

    await api.restart();
    const control = api.openControl();
    const outcome = async () => (await control.pipelineRuns.find(experiment.id, day))?.outcome;
    await vi.waitFor(async () => expect(await outcome()).toBe("running"), { timeout: UP_MS, interval: 5 });
    await api.restart();
    expect((await results()).status).toBe(404);
    await vi.waitFor(async () => expect((await results()).status).toBe(200), { timeout: UP_MS });
    expect(await outcome()).toBe("computed");
    expect(api.logged()).not.toContain("the nightly run of an experiment failed");
    await control.close();
  },
  2 * UP_MS,
);
