import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  experimentBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface Config {
  readonly experiments: readonly { readonly id: string }[];
}
interface RawEvents {
  readonly items: readonly { readonly type: string; readonly ineligible_reason: string | null }[];
}

const USERS = Array.from({ length: 40 }, (_, index) => `user-${index}`);
const WINNER = { key: "treatment", prompt: "Be brief.", variables: { words: 50 } };
let api: TestService;
let key: string;
beforeAll(async () => {
  api = await openTestService();
  key = await api.newKey("secret");
});
afterAll(() => api.stop());

let count = 0;
const create = async (change: Readonly<Record<string, unknown>> = {}) => {
  const variants = [{ key: "control", prompt: "Answer." }, WINNER];
  const body = experimentBody(`ship-${++count}`, { variants, ...change });
  return (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
};
const put = ({ id }: WireExperiment, body: unknown) =>
  api.call<WireExperiment & WireProblem>("PUT", `/v1/experiments/${id}`, { body });
const ship = (experiment: WireExperiment) =>
  put(experiment, {
    ...{ status: "shipped", shipped_variant: "treatment" },
    decision: { outcome: "won", variant: "treatment", note: null },
  });
/** What all users get, each variant once. */
const given = async ({ id }: WireExperiment) => {
  const answers = await Promise.all(
    USERS.map((userId) =>
      api.call<{ variant: string | null }>("POST", "/v1/assign", {
        ...{ key, body: { experiment_id: id, user_id: userId } },
      }),
    ),
  );
  return [...new Set(answers.map(({ body }) => body.variant))].sort();
};
const entryOf = async ({ id }: WireExperiment, asked = key) =>
  (await api.call<Config>("GET", "/v1/config", { key: asked })).body.experiments.find((one) => one.id === id);

describe("a shipped experiment", () => {
  test("gives everybody its variant, until it is stopped again; then it can run on as before", async () => {
    const experiment = await create();
    const before = await entryOf(experiment);
    expect(await given(experiment)).toEqual(["control", "treatment"]);
    expect((await ship(experiment)).body).toMatchObject({
      ...{ status: "shipped", shipped_variant: "treatment", decision: { outcome: "won" } },
    });
    expect(await given(experiment)).toEqual(["treatment"]);
    await put(experiment, { status: "stopped" });
    expect(await given(experiment)).toEqual([null]);
    await put(experiment, { status: "running" });
    expect(await given(experiment)).toEqual(["control", "treatment"]);
    expect(await entryOf(experiment)).toEqual({ ...before, version: 4 });
  });

  test("is one bucket of one variant in the config, which clients of every version hand out", async () => {
    const experiment = await create();
    await ship(experiment);
    expect(await entryOf(experiment)).toEqual({
      ...{ id: experiment.id, name: experiment.name, version: 2, status: "running", shipped: true },
      ...{ bucket_count: 1, buckets: [[1, 0]], control: "control" },
      salt: expect.any(String),
      variants: [{ ...WINNER, enabled: true }],
    });
  });

  test("hides its content from the publishable key as before", async () => {
    const publishable = await api.newKey("publishable");
    const experiment = await create({ visibility: "server" });
    await ship(experiment);
    expect(await entryOf(experiment, publishable)).toMatchObject({
      variants: [{ key: "treatment", prompt: null, variables: null }],
    });
    expect(await entryOf(experiment)).toMatchObject({ variants: [WINNER] });
  });

  test("has closed its sample: an exposure of an older client is kept, and counts for no arm", async () => {
    const experiment = await create();
    await ship(experiment);
    const about = { experiment_id: experiment.id, user_id: "late", timestamp: new Date().toISOString() };
    const body = [{ ...about, event_id: crypto.randomUUID(), type: "exposure", variant: "treatment" }];
    expect((await api.call("POST", "/v1/events", { key, body })).status).toBe(202);
    const read = async () =>
      (await api.call<RawEvents>("GET", `/v1/experiments/${experiment.id}/events`)).body.items;
    await expect.poll(read, { timeout: 80_000 }).toMatchObject([{ ineligible_reason: "shipped" }]);
  });

  test("says so in lists, in its state and in the audit", async () => {
    const experiment = await create();
    await ship(experiment);
    const overview = await api.call("GET", `/v1/experiments/${experiment.id}/overview`);
    expect(overview.body).toMatchObject({ status: "shipped", state: "shipped" });
    const listed = await api.call<WireExperiment[]>("GET", "/v1/experiments?status=shipped");
    expect(listed.body.map(({ id }) => id)).toContain(experiment.id);
    const audit = await api.call<{ items: readonly { diff: object; target: string }[] }>("GET", "/v1/audit");
    const entry = audit.body.items.find(({ diff }) => "shipped_variant" in (diff ?? {}));
    expect(entry?.diff).toMatchObject({
      status: { from: "running", to: "shipped" },
      shipped_variant: { from: null, to: "treatment" },
    });
  });

  test.each([
    { change: { status: "shipped" }, pointer: "/shipped_variant" },
    { change: { status: "shipped", shipped_variant: "other" }, pointer: "/shipped_variant" },
    { change: { shipped_variant: "treatment" }, pointer: "/shipped_variant" },
  ])("needs a variant that is there: $change is refused at $pointer", async ({ change, pointer }) => {
    const { status, body } = await put(await create(), change);
    expect([status, slugOf(body), body.errors?.map((one) => one.pointer)]).toEqual([
      ...[400, "invalid-body", [pointer]],
    ]);
  });

  test.each(["running", "draft", "archived"])("goes to %s only over stopped", async (status) => {
    const experiment = await create();
    await ship(experiment);
    const refused = await put(experiment, { status });
    expect([refused.status, refused.body.errors?.[0]?.pointer]).toEqual([400, "/status"]);
    expect(refused.body.errors?.[0]?.detail).toContain('"stopped" first');
    expect(await given(experiment)).toEqual(["treatment"]);
  });
});
