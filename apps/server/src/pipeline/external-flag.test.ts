import { addDays, dayOf, startOfDay, toInstant } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  experimentBody,
  metricBody,
  type WireExperiment,
  type WireProblem,
} from "../test-support/experiments.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

interface Results {
  readonly srm: { readonly status: string; readonly observed: Record<string, number> };
  readonly results: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const USERS = 900;
const latency = { category: "latency" };
const FLAG = "checkout-tone";
const day = addDays(dayOf(Date.now()), -1);
let api: TestService;
let key: string;
beforeAll(async () => {
  api = await openTestService();
  key = await api.newKey("secret");
});
afterAll(() => api.stop());

const bodyOf = (name: string, change: Readonly<Record<string, unknown>>) =>
  experimentBody(name, {
    assignment: "assay",
    allocation: [
      { variant: "control", weight: 2 },
      { variant: "treatment", weight: 1 },
    ],
    bucket_count: 999,
    metrics: [
      // Tests without random draws, whose seed is the experiment's id.
      metricBody("spent", { role: "primary", margin: 2, method_default: "welch_t" }),
      metricBody("bought", { kind: "binary", method_default: "two_proportion_z" }),
      metricBody("latency", { ...latency, kind: "ratio", role: "guardrail", method_default: "ratio_delta" }),
    ],
    ...change,
  });
const onFlag = { assignment: "external", flag_key: FLAG };
async function create(name: string, change: Readonly<Record<string, unknown>>): Promise<WireExperiment> {
  const { status, body } = await api.call<WireExperiment>("POST", "/v1/experiments", {
    body: bodyOf(name, change),
  });
  expect(status).toBe(201);
  return body;
}

const send = (events: readonly object[]) =>
  api.call<{ accepted: number; rejected: readonly { detail: string }[] }>("POST", "/v1/events", {
    key,
    body: { events },
  });

/** Everybody meets the variant, makes a call, and spends; who is treated spends more. */
async function sendTraffic({ id }: WireExperiment, variantOf: (user: string) => string): Promise<void> {
  const events = Array.from({ length: USERS }, (_, index) => {
    const variant = variantOf(`user-${index}`);
    const about = (kind: string) => ({
      ...{ event_id: `${id}-${index}-${kind}`, experiment_id: id, user_id: `user-${index}`, variant },
      timestamp: toInstant(startOfDay(day) + 60_000 * index),
    });
    const value = 100 + ((index * 7919) % 50) + (variant === "treatment" ? 4 : 0);
    return [
      { ...about("exposure"), type: "exposure" },
      { ...about("call"), type: "model_call", latency_ms: 100 + ((index * 104_729) % 900) },
      { ...about("spent"), type: "business_event", business_metric: "spent", value },
      ...(index % 3 === 0 ? [{ ...about("bought"), type: "business_event", business_metric: "bought" }] : []),
    ];
  }).flat();
  for (let from = 0; from < events.length; from += 1_000) {
    const batch = events.slice(from, from + 1_000);
    expect((await send(batch)).body).toMatchObject({ accepted: batch.length, rejected: [] });
  }
}

async function night({ id }: WireExperiment): Promise<Results> {
  await api.call("POST", "/v1/admin/pipeline-runs", { body: { day, experiment_id: id } });
  return (await api.call<Results>("GET", `/v1/experiments/${id}/results?day=${day}`)).body;
}

async function assignedBy({ id }: WireExperiment): Promise<ReadonlyMap<string, string>> {
  const variants = new Map<string, string>();
  for (let index = 0; index < USERS; index++) {
    const body = { experiment_id: id, user_id: `user-${index}` };
    const { variant } = (await api.call<{ variant: string }>("POST", "/v1/assign", { key, body })).body;
    variants.set(body.user_id, variant);
  }
  return variants;
}

describe("exposures from another system's flag", () => {
  test("give, to ten digits, the night's results of the same experiment with our own assignment", async () => {
    const own = await create("own", {});
    const variants = await assignedBy(own);
    const variantOf = (user: string) => variants.get(user) ?? "";
    const flagged = await create("flagged", onFlag);
    await sendTraffic(own, variantOf);
    await sendTraffic(flagged, variantOf);
    const [ours, theirs] = [await night(own), await night(flagged)];
    expect(Object.keys(ours.results).sort()).toEqual(
      ["bought", "latency", "spent"].map((name) => `${name}::treatment`),
    );
    expect(ours.srm.status).toBe("passed");
    expect(theirs.srm).toEqual(ours.srm);
    expect(rounded(theirs.results)).toEqual(rounded(ours.results));
  });

  test("are withheld by the same gate when their split is not that of the weights", async () => {
    const flagged = await create("biased", onFlag);
    await sendTraffic(flagged, (user) => (Number(user.slice(5)) % 2 === 0 ? "control" : "treatment"));
    const { srm, results } = await night(flagged);
    expect([srm.status, results]).toEqual(["halted", {}]);
    const { body } = await api.call<{ checks: readonly { code: string; detail: string }[] }>(
      "GET",
      `/v1/experiments/${flagged.id}/health`,
    );
    const check = body.checks.find(({ code }) => code === "assignment-conflicts");
    expect(check?.detail).toContain(`The flag "${FLAG}" of another system assigns variants`);
  });

  test("must name the variant", async () => {
    const { id, name } = await create("unnamed", onFlag);
    const about = { experiment_id: name, user_id: "ann", timestamp: new Date().toISOString() };
    const { body } = await send([
      { ...about, event_id: `${id}-1`, type: "exposure" },
      { ...about, event_id: `${id}-2`, type: "exposure", variant: "treatment" },
      { ...about, event_id: `${id}-3`, type: "business_event", business_metric: "bought" },
    ]);
    expect(body.accepted).toBe(2);
    expect(body.rejected.map(({ detail }) => detail)).toEqual([
      `variant is missing: the flag "${FLAG}" assigns this experiment's variants, so an exposure must name the one that it returned.`,
    ]);
  });
});

test("nobody gets a variant of the experiment from Assay, and nothing of its buckets is claimed", async () => {
  const experiment = await create("elsewhere", { ...onFlag, variants: content("control", "treatment") });
  const { id, name } = experiment;
  expect(experiment).toMatchObject({ ...onFlag, effective_allocation: { control: 2 / 3, treatment: 1 / 3 } });
  const asked = { experiment_id: id, user_id: "ann" };
  const assigned = await api.call<{ variant: unknown }>("POST", "/v1/assign", { key, body: asked });
  expect([assigned.status, assigned.body.variant]).toEqual([200, null]);
  const config = await api.call<{ experiments: readonly { id: string }[] }>("GET", "/v1/config", { key });
  expect(config.body.experiments.map((one) => one.id)).not.toContain(id);
  expect(JSON.stringify(config.body)).not.toContain("of a flag");
  const context = { context: { targetingKey: "ann" } };
  for (const flag of [name, id, `${name}.prompt`]) {
    const path = `/ofrep/v1/evaluate/flags/${flag}`;
    const { status, body } = await api.call<{ errorCode: string; errorDetails: string }>("POST", path, {
      key,
      body: context,
    });
    expect([status, body.errorCode]).toEqual([404, "FLAG_NOT_FOUND"]);
    expect(body.errorDetails).toContain("another system's flag assigns its variants");
  }
  const control = api.openControl();
  expect(await control.experiments.listClaims(id)).toEqual(new Set());
  await control.close();
});

test("the flag is frozen once the experiment has started, and shown by every version", async () => {
  const draft = await create("later", { status: "draft" });
  const put = (body: object) =>
    api.call<WireExperiment & WireProblem>("PUT", `/v1/experiments/${draft.id}`, { body });
  expect((await put({ flag_key: FLAG })).body.errors?.map(({ pointer }) => pointer)).toEqual(["/flag_key"]);
  expect((await put(onFlag)).body).toMatchObject({ version: 2, ...onFlag });
  expect((await put({ status: "running" })).body).toMatchObject({ version: 3, ...onFlag });
  for (const change of [{ flag_key: "other" }, { flag_key: null }, { assignment: "assay" }]) {
    const { status, body } = await put(change);
    expect([status, body.errors?.map(({ pointer }) => pointer)]).toEqual([400, ["/flag_key"]]);
  }
  const { status, body } = await put({ status: "shipped", shipped_variant: "treatment" });
  expect([status, body.errors?.map(({ pointer }) => pointer)]).toEqual([400, ["/status"]]);
  const decision = { outcome: "won", variant: "treatment" };
  expect((await put({ status: "stopped", decision })).body).toMatchObject({ decision });
});

const content = (...keys: string[]) => keys.map((one) => ({ key: one, prompt: "Prompt of a flag." }));

/** The store adds in the order of ids, which differ: the last digits do too. */
function rounded(results: Results["results"]): unknown {
  const round = (_key: string, value: unknown) =>
    typeof value === "number" ? Number(value.toPrecision(10)) : value;
  return JSON.parse(JSON.stringify(results, round));
}
