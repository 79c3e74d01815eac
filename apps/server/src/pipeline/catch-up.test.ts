import { addDays, dayOf, startOfDay, toInstant } from "@assay/domain";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { experimentBody, metricBody, type WireExperiment } from "../test-support/experiments.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

let api: TestService;
beforeAll(async () => {
  api = await openTestService();
});
afterAll(() => api.stop());

interface WireResults {
  readonly computed_for: string;
  readonly computed_at: string;
  readonly available_days: readonly string[];
  readonly window: { readonly to: string };
  readonly results: Readonly<Record<string, { readonly n_per_arm: Readonly<Record<string, number>> }>>;
}

/** Two whole days ago: due whatever the time of day is. */
const day = addDays(dayOf(Date.now()), -2);
const USERS_PER_ARM = 210;

async function sendDay(experiment: WireExperiment): Promise<void> {
  const key = await api.newKey("publishable");
  const users = Array.from({ length: 2 * USERS_PER_ARM }, (_, index) => ({
    experiment_id: experiment.id,
    user_id: `user-${index}`,
    variant: index % 2 === 0 ? "control" : "treatment",
    timestamp: toInstant(startOfDay(day) + 60_000 * index),
  }));
  const events = users.flatMap((user, index) => [
    { ...user, event_id: `exposure-${index}`, type: "exposure" },
    {
      ...user,
      event_id: `outcome-${index}`,
      type: "business_event",
      business_metric: "bought",
      value: index % 3 === 0 ? 1 : 0,
    },
  ]);
  const answer = await api.call<{ accepted: number }>("POST", "/v1/events", { key, body: { events } });
  expect(answer.body.accepted).toBe(4 * USERS_PER_ARM);
}

test("a service that was down catches missed nights up, and runs no night twice", async () => {
  const body = experimentBody("missed", { metrics: [metricBody("bought", { kind: "binary" })] });
  const { body: experiment } = await api.call<WireExperiment>("POST", "/v1/experiments", { body });
  const results = (label = "") =>
    api.call<WireResults>("GET", `/v1/experiments/${experiment.id}/results${label}`);
  await sendDay(experiment);
  expect((await results()).status).toBe(404);

  await api.restart();
  const caught = await vi.waitFor(
    async () => {
      const answer = await results(`?day=${day}`);
      expect(answer.status).toBe(200);
      return answer.body;
    },
    { timeout: 80_000, interval: 50 },
  );
  expect(caught).toMatchObject({ computed_for: day, window: { to: toInstant(startOfDay(addDays(day, 1))) } });
  expect(caught.results["bought::treatment"]?.n_per_arm).toEqual({
    control: USERS_PER_ARM,
    treatment: USERS_PER_ARM,
  });

  await api.restart();
  const again = await api.call<{ runs: { outcome: string }[] }>("POST", "/v1/admin/pipeline-runs", {
    body: { day },
  });
  expect(again.body.runs.map(({ outcome }) => outcome)).toEqual(["already-done"]);
  expect((await results(`?day=${day}`)).body.computed_at).toBe(caught.computed_at);
});
