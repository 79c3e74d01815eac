import { addDays, dayOf, toInstant } from "@assay/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { experimentBody, metricBody, type WireExperiment } from "../test-support/experiments.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

interface PriceMark {
  readonly as_of: string;
  readonly fingerprint: string;
}
interface WireResults {
  readonly price_list: PriceMark;
  readonly results: Readonly<
    Record<
      string,
      {
        readonly control_value: number;
        readonly treatment_value: number;
        readonly events_per_arm: Readonly<Record<string, number>>;
      }
    >
  >;
}

interface WireLive {
  readonly distributions: Readonly<Record<string, Readonly<Record<string, { readonly counts: number[] }>>>>;
}
interface WirePlan {
  readonly rows: readonly { readonly baseline: { readonly value: number } | null }[];
}

let api: TestService;
const today = dayOf(Date.now());
const USERS = 40;
/** A name may be any text. */
const HOUSE = `our "own" model's \\ [v1], {x}`;
const everyone = Array.from({ length: 2 * USERS }, (_, user) => user);
// Per call: 650 or 600 fresh input tokens, 400 cached, 500 output.
const CONTROL = (650 * 2.5 + 400 * 1.25 + 500 * 10) / 1e6;
const treatment = (input: number) => (1050 * input + 500 * 8) / 1e6;

let experiment: WireExperiment;

beforeAll(async () => {
  api = await openTestService();
  const metrics = [metricBody("cost", { kind: "ratio", category: "cost" })];
  const body = experimentBody("costs", { metrics });
  experiment = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
  await send("exposure", () => ({ type: "exposure" }));
  await send("call", call);
});
afterAll(() => api.stop());

/** Control asks gpt-4o, treatment the org's own model; odd users use some more tokens, so that values differ. */
const call = (user: number, change: object = {}) => ({
  type: "model_call",
  model: user < USERS ? "gpt-4o-2024-11-20" : HOUSE,
  input_tokens: 1000 + 100 * (user % 2),
  cached_input_tokens: 400,
  output_tokens: 500,
  ...change,
});

/** Sends one event of every user. */
async function send(name: string, eventOf: (user: number) => object): Promise<void> {
  const key = await api.newKey("secret");
  const events = everyone.map((user) => ({
    event_id: `${name}-${user}`,
    experiment_id: experiment.id,
    user_id: `user-${user}`,
    variant: user < USERS ? "control" : "treatment",
    timestamp: toInstant(Date.now()),
    ...eventOf(user),
  }));
  const { body } = await api.call<{ accepted: number }>("POST", "/v1/events", { key, body: { events } });
  expect(body.accepted).toBe(events.length);
}

async function setHouse(day: string, input: number): Promise<void> {
  const body = {
    model: HOUSE,
    effective_from: day,
    input_usd_per_million: input,
    output_usd_per_million: 8,
  };
  expect((await api.call("PUT", "/v1/prices", { body })).status).toBe(200);
}

const analyze = async () =>
  (await api.call<WireResults>("POST", `/v1/experiments/${experiment.id}/analyze`)).body;
const cost = ({ results }: WireResults) => results["cost::treatment"]!;

test("calls without a cost are priced by their tokens; a model without a price has no cost, not one of 0", async () => {
  const before = await analyze();
  expect(before.results).toEqual({});

  await setHouse("2026-01-01", 2);
  const { results, price_list } = await analyze();
  const priced = results["cost::treatment"]!;
  expect(priced.control_value).toBeCloseTo(CONTROL, 12);
  expect(priced.treatment_value).toBeCloseTo(treatment(2), 12);
  expect(priced.events_per_arm).toEqual({ control: USERS, treatment: USERS });
  const path = `/v1/experiments/${experiment.id}`;
  const live = await api.call<WireLive>("GET", `${path}/live`);
  const counted = live.body.distributions.cost?.treatment?.counts ?? [];
  expect(counted.reduce((sum, count) => sum + count, 0)).toBe(USERS);
  const plan = await api.call<WirePlan>("POST", `${path}/plan`, { body: {} });
  expect(plan.body.rows[0]?.baseline?.value).toBeCloseTo((CONTROL + treatment(2)) / 2, 12);
  expect(price_list.as_of).toBe(today);
  expect(price_list).toEqual(
    (await api.call<{ price_list: PriceMark }>("GET", `/v1/prices?as_of=${today}`)).body.price_list,
  );

  await send("unknown", (user) => call(user, { model: "nobody-knows" }));
  await send("no-tokens", (user) => call(user, { output_tokens: null }));
  const after = cost(await analyze());
  expect(after.control_value).toBeCloseTo(CONTROL, 12);
  expect(after.events_per_arm).toEqual({ control: USERS, treatment: USERS });
});

test("a price that starts after the experiment moves nothing, a corrected one reaches the next run", async () => {
  await setHouse("2026-01-01", 2);
  const first = await analyze();
  await setHouse(addDays(today, 1), 100);
  const unmoved = await analyze();
  expect({ ...cost(unmoved), window_days: 0 }).toEqual({ ...cost(first), window_days: 0 });
  expect(unmoved.price_list).toEqual(first.price_list);

  await setHouse("2026-01-01", 4);
  const corrected = await analyze();
  expect(cost(corrected).treatment_value).toBeCloseTo(treatment(4), 12);
  expect(cost(corrected).control_value).toBe(cost(first).control_value);
  expect(corrected.price_list.fingerprint).not.toBe(first.price_list.fingerprint);
});

test("a model that is priced only later has its earliest price", async () => {
  await setHouse("2026-01-01", 2);
  await setHouse(addDays(today, 1), 100);
  const query = `model=${encodeURIComponent(HOUSE)}&effective_from=2026-01-01`;
  expect((await api.call("DELETE", `/v1/prices?${query}`)).status).toBe(204);
  expect(cost(await analyze()).treatment_value).toBeCloseTo(treatment(100), 12);
});

test("a cost that the caller sends wins over the price", async () => {
  await setHouse("2026-01-01", 4);
  await send("told", (user) => call(user, { cost_usd: 0.5 }));
  const told = cost(await analyze());
  expect(told.control_value).toBeCloseTo((CONTROL + 0.5) / 2, 12);
  expect(told.treatment_value).toBeCloseTo((treatment(4) + 0.5) / 2, 12);
  expect(told.events_per_arm).toEqual({ control: 2 * USERS, treatment: 2 * USERS });
});
