import { ExperimentConfigBody, fromWire, toConfigInput } from "@assay/contract";
import {
  addDays,
  type Clock,
  DAY_MS,
  type Day,
  dayOf,
  endOfDay,
  firstVersion,
  type NewExperiment,
  startOfDay,
} from "@assay/domain";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { onStoppedStores } from "../test-support/stopped-stores.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";
import { demoIdOf } from "./demo.ts";
import { demoEvents } from "./demo-events.ts";
import { DEMO_DAYS, demoDays } from "./demo-traffic.ts";
import { DEMOS } from "./demos.ts";

interface WireDemo {
  readonly id: string;
  readonly created_at: string;
}

/** Only ever moves on, for all tests. */
const clock: Clock & { at: number } = { at: Date.now(), now: () => clock.at };

let api: TestService;
beforeAll(async () => {
  api = await openTestService({}, clock);
});
afterAll(() => api.stop());

let org: string;
let orgId: string;
let id: string;
/** A demo is cut off where none is. */
async function useOrg(name: string): Promise<void> {
  org = name;
  orgId = (await call<{ org_id: string }>("GET", "/v1/whoami")).body.org_id;
  id = demoIdOf(demo, orgId);
}
const call = async <T>(method: string, path: string) =>
  api.call<T>(method, path, { token: await api.token({ email: `owner@${org}.org`, org }) });

/** Both demos are loaded by the same code; this one has fewer events. */
const demo = DEMOS["answer-style"];
const content = firstVersion(toConfigInput(fromWire(ExperimentConfigBody, demo.experiment)));
const firstDay = () => addDays(dayOf(clock.at), -DEMO_DAYS);
const eventsNow = () => demoEvents({ ...content, demo, id, orgId, firstDay: firstDay() });
const asCreated = (): NewExperiment => ({
  ...content,
  ...{ id, orgId, version: 1, at: startOfDay(firstDay()), by: "someone", isDemo: true },
});
const WITHIN = { timeout: 80_000, interval: 100 };
const load = async () => (await call<WireDemo>("POST", "/v1/demo")).body;

/** That each user was exposed once, that the days begin where the experiment does, and that every night has run. */
async function expectWhole(demo: WireDemo): Promise<void> {
  expect(demo.id).toBe(id);
  const path = `/v1/experiments/${id}`;
  const traffic = await call<{ days: { day: string }[] }>("GET", `${path}/traffic`);
  expect(traffic.body.days[0]?.day).toBe(demo.created_at.slice(0, 10));
  const live = await call<Record<"users" | "exposures", Record<string, number>>>("GET", `${path}/live`);
  for (const counts of [live.body.users, live.body.exposures])
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(805);
  const days = demoDays(dayOf(Date.parse(demo.created_at)));
  const { body } = await call<{ available_days: string[] }>("GET", `${path}/results`);
  expect(body.available_days).toContain(days.at(-1));
  await onStoppedStores(api, async ({ control, countRaw }) => {
    await vi.waitFor(async () => expect(await countRaw(id)).toBe(3 * 805), WITHIN);
    for (const day of days)
      expect((await control.pipelineRuns.find(id, day))?.outcome, day).toMatch(
        /computed|withheld|collecting/,
      );
  });
}

test("a load that was cut off while it stored events is made whole, and forgotten when it is never repeated", async () => {
  await useOrg("storing");
  await onStoppedStores(api, async ({ events }) =>
    events.appendUnmetered((await eventsNow()).slice(0, 1_000)),
  );
  expect((await call<WireDemo[]>("GET", "/v1/experiments")).body).toEqual([]);
  await expectWhole(await load());
});

test("a removal that was cut off before the events went is finished by the next", async () => {
  // The demo of the test before.
  await onStoppedStores(api, async ({ control }) => {
    expect(await control.experiments.remove(orgId, id)).toBe(true);
  });
  expect((await call("DELETE", "/v1/demo")).status).toBe(204);
  await onStoppedStores(api, async ({ events, countRaw }) => {
    expect(await events.traffic({ orgId, experimentId: id, exclusions: [] })).toEqual([]);
    await vi.waitFor(async () => expect(await countRaw(id)).toBe(0), WITHIN);
  });
});

test("a load that was cut off is made whole on another day, after a removal too", async () => {
  // The org of the tests before, without its demo.
  await onStoppedStores(api, async ({ events }) =>
    events.appendUnmetered((await eventsNow()).slice(500, 2_000)),
  );
  clock.at += DAY_MS;
  const demo = await load();
  expect(demo.created_at.slice(0, 10)).toBe(firstDay());
  await expectWhole(demo);
});

test("a load that was cut off in a night is made whole, a day later too", async () => {
  await useOrg("night");
  await onStoppedStores(api, async ({ control, events }) => {
    await events.appendUnmetered(await eventsNow());
    await control.experiments.create(asCreated());
    const [done, begun] = demoDays(firstDay()) as [Day, Day];
    for (const day of [done, begun]) {
      const now = endOfDay(day);
      const run = { experimentId: id, day, now };
      await control.pipelineRuns.claim({ ...run, orgId, windowTo: now, leaseUntil: now });
      if (day === done)
        await control.pipelineRuns.finish({ ...run, startedAt: now, outcome: "collecting", detail: null });
    }
  });
  const before = firstDay();
  clock.at += DAY_MS;
  const demo = await load();
  expect(demo.created_at.slice(0, 10)).toBe(before);
  await expectWhole(demo);
});
