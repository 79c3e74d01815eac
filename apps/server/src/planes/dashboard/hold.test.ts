import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  experimentBody,
  metricBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface Held extends WireExperiment {
  readonly holds: readonly {
    readonly from: string;
    readonly to: string | null;
    readonly reason: string | null;
  }[];
}
interface RawEvents {
  readonly items: readonly { readonly event_id: string; readonly ineligible_reason: string | null }[];
}
interface Live {
  readonly users: Readonly<Record<string, number>>;
  readonly evaluated_events: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

const USERS = Array.from({ length: 40 }, (_, index) => `user-${index}`);
let api: TestService;
let key: string;
beforeAll(async () => {
  api = await openTestService();
  key = await api.newKey("secret");
});
afterAll(() => api.stop());

let count = 0;
const create = async (change: Readonly<Record<string, unknown>> = {}) => {
  const body = experimentBody(`hold-${++count}`, {
    metrics: [metricBody("latency", { kind: "ratio", category: "latency" })],
    assignment: "assay",
    ...change,
  });
  return (await api.call<Held>("POST", "/v1/experiments", { body })).body;
};
const hold = ({ id }: WireExperiment, body: unknown = { reason: "too many errors" }) =>
  api.call<Held & WireProblem>("POST", `/v1/experiments/${id}/hold`, { body });
const resume = ({ id }: WireExperiment) =>
  api.call<Held & WireProblem>("POST", `/v1/experiments/${id}/resume`);
/** What each user gets. */
const given = ({ id }: WireExperiment) =>
  Promise.all(
    USERS.map(async (user_id) => {
      const body = { experiment_id: id, user_id };
      return (await api.call<{ variant: string | null }>("POST", "/v1/assign", { key, body })).body.variant;
    }),
  );
const entryOf = async ({ id }: WireExperiment) =>
  (
    await api.call<{ experiments: readonly { readonly id: string }[] }>("GET", "/v1/config", { key })
  ).body.experiments.find((one) => one.id === id);
const sum = (counts: Readonly<Record<string, number>> = {}) =>
  Object.values(counts).reduce((total, count) => total + count, 0);
const send = (events: readonly unknown[]) => api.call("POST", "/v1/events", { key, body: { events } });

describe("a held experiment", () => {
  test("gives nobody a variant, in every plane, and everybody their own again when it is resumed", async () => {
    const experiment = await create();
    const [before, entry] = [await given(experiment), await entryOf(experiment)];
    expect(new Set(before)).toEqual(new Set(["control", "treatment"]));
    const { status, body } = await hold(experiment);
    expect([status, body.holds, body.version]).toEqual([
      200,
      [{ from: expect.any(String), to: null, reason: "too many errors", guardrail: null }],
      2,
    ]);
    expect(new Set(await given(experiment))).toEqual(new Set([null]));
    expect(await entryOf(experiment)).toMatchObject({ status: "stopped", variants: [] });
    const flag = await api.call("POST", `/ofrep/v1/evaluate/flags/${experiment.name}`, {
      ...{ key, body: { context: { targetingKey: "user-1" } } },
    });
    expect(flag.body).toMatchObject({ reason: "DISABLED" });
    const overview = await api.call("GET", `/v1/experiments/${experiment.id}/overview`);
    expect(overview.body).toMatchObject({ state: "held", status: "running", needs_attention: true });
    expect((await resume(experiment)).body.holds).toEqual([{ ...body.holds[0], to: expect.any(String) }]);
    expect(await given(experiment)).toEqual(before);
    expect(await entryOf(experiment)).toEqual({ ...entry, version: 3 });
  });

  test("is held once and resumed once, however often somebody asks: one version and one audit entry each", async () => {
    const experiment = await create();
    await Promise.all(Array.from({ length: 5 }, () => hold(experiment)));
    await Promise.all(Array.from({ length: 5 }, () => resume(experiment)));
    const versions = await api.call<readonly Held[]>("GET", `/v1/experiments/${experiment.id}/versions`);
    expect(versions.body.map(({ holds }) => holds.map(({ to }) => to === null))).toEqual([
      [false],
      [true],
      [],
    ]);
    const { body } = await api.call<{ items: readonly { action: string; diff: Record<string, unknown> }[] }>(
      "GET",
      `/v1/audit?target_id=${experiment.id}`,
    );
    expect(body.items.filter(({ diff }) => "holds" in diff).map(({ action }) => action)).toEqual([
      "experiment.update",
      "experiment.update",
      "experiment.create",
    ]);
  });

  test("keeps what happens meanwhile out of the analysis", async () => {
    const experiment = await create();
    const call = (event_id: string, user_id: string, timestamp: string) => ({
      ...{ type: "model_call", event_id, experiment_id: experiment.id, user_id, timestamp, latency_ms: 100 },
    });
    const exposure = (user_id: string, timestamp: string) => ({
      ...{ type: "exposure", event_id: `x-${user_id}`, experiment_id: experiment.id, user_id, timestamp },
    });
    const [ann, ben] = ["ann", "ben"];
    await send([exposure(ann, new Date().toISOString()), call("before", ann, new Date().toISOString())]);
    const { body: held } = await hold(experiment);
    const during = held.holds[0]!.from;
    await send([exposure(ben, during), call("during", ann, during), call("too", ben, during)]);
    await resume(experiment);
    await send([call("after", ann, new Date().toISOString())]);
    const readRaw = async () =>
      (await api.call<RawEvents>("GET", `/v1/experiments/${experiment.id}/events`)).body.items;
    await expect.poll(async () => (await readRaw()).length, { timeout: 80_000 }).toBe(6);
    expect((await readRaw()).find(({ event_id }) => event_id === "x-ben")?.ineligible_reason).toBe("held");
    const { body: live } = await api.call<Live>("GET", `/v1/experiments/${experiment.id}/live`);
    expect(sum(live.users)).toBe(1);
    expect(sum(live.evaluated_events.latency)).toBe(2);
  });

  test("changes like any other, ends its hold when it is stopped, and ignores holds in a sent config", async () => {
    const experiment = await create();
    const { body: held } = await hold(experiment, {});
    const put = (body: unknown) =>
      api.call<Held & WireProblem>("PUT", `/v1/experiments/${experiment.id}`, { body });
    const changed = await put({ ...held, holds: [], description: "still held" });
    expect([changed.status, changed.body.holds]).toEqual([200, held.holds]);
    expect((await put({ status: "stopped" })).body.holds).toEqual([
      { ...held.holds[0], to: expect.any(String) },
    ]);
    await put({ status: "running" });
    expect(new Set(await given(experiment))).toEqual(new Set(["control", "treatment"]));
  });

  test.each([
    { change: { status: "draft" }, says: "draft" },
    { change: { assignment: "external", flag_key: "checkout" }, says: "switch it off there" },
  ])("is none that gives nobody a variant: $change", async ({ change, says }) => {
    const { status, body } = await hold(await create(change));
    expect([status, slugOf(body), body.detail]).toEqual([409, "not-holdable", expect.stringContaining(says)]);
  });
});
