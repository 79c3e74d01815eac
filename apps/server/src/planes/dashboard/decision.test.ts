import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  experimentBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface WireDecision {
  readonly outcome: string;
  readonly variant: string | null;
  readonly note: string | null;
}
type Decided = WireExperiment & { readonly decision: WireDecision | null };

let api: TestService;
beforeAll(async () => {
  api = await openTestService();
});
afterAll(() => api.stop());

let count = 0;
const create = async (change: Readonly<Record<string, unknown>> = {}) => {
  const body = experimentBody(`decided-${++count}`, change);
  return (await api.call<Decided>("POST", "/v1/experiments", { body })).body;
};
const put = ({ id }: WireExperiment, body: unknown) =>
  api.call<Decided & WireProblem>("PUT", `/v1/experiments/${id}`, { body });
const won = { outcome: "won", variant: "treatment", note: "Cheaper, and no worse." };

describe("the decision of an experiment", () => {
  test("is none to begin with", async () => {
    expect((await create()).decision).toBeNull();
  });

  test("comes with the stop, and is told by every read of it", async () => {
    const experiment = await create();
    const { status, body } = await put(experiment, { status: "stopped", decision: won });
    expect([status, body.decision]).toEqual([200, won]);
    const path = `/v1/experiments/${experiment.id}`;
    expect((await api.call<Decided>("GET", path)).body.decision).toEqual(won);
    const versions = await api.call<readonly Decided[]>("GET", `${path}/versions`);
    expect(versions.body.map(({ decision }) => decision)).toEqual([won, null]);
  });

  test("may come later, without a variant and a note, and is replaced as a whole", async () => {
    const experiment = await create({ status: "stopped" });
    const later = await put(experiment, { decision: { outcome: "invalid" } });
    expect(later.body.decision).toEqual({ outcome: "invalid", variant: null, note: null });
    expect((await put(experiment, { decision: won })).body.decision).toEqual(won);
    expect((await put(experiment, { decision: null })).body.decision).toBeNull();
  });

  test("stays when a read is sent back with another change, and goes when it runs again", async () => {
    const { body: stopped } = await put(await create(), { status: "stopped", decision: won });
    expect((await put(stopped, { ...stopped, description: "d" })).body.decision).toEqual(won);
    expect((await put(stopped, { status: "running" })).body.decision).toBeNull();
    expect((await put(stopped, { status: "stopped" })).body.decision).toBeNull();
  });

  test.each([
    { change: { decision: won }, pointers: ["/decision"] },
    { change: { status: "draft", decision: won }, pointers: ["/decision"] },
    { change: { status: "stopped", decision: { ...won, variant: "none" } }, pointers: ["/decision/variant"] },
    {
      change: { status: "stopped", decision: { ...won, outcome: "great" } },
      pointers: ["/decision/outcome"],
    },
    { change: { status: "stopped", decision: { variant: "treatment" } }, pointers: ["/decision/outcome"] },
  ])("is refused at $pointers: $change", async ({ change, pointers }) => {
    const { status, body } = await put(await create(), change);
    expect([status, slugOf(body)]).toEqual([400, "invalid-body"]);
    expect(body.errors?.map(({ pointer }) => pointer)).toEqual(expect.arrayContaining(pointers));
  });

  test("shows in the audit log", async () => {
    const experiment = await create();
    await put(experiment, { status: "stopped", decision: won });
    await put(experiment, { status: "running" });
    const { body } = await api.call<{ items: readonly { diff: unknown }[] }>(
      "GET",
      `/v1/audit?target_id=${experiment.id}`,
    );
    expect(body.items.slice(0, 2).map(({ diff }) => diff)).toEqual([
      { status: { from: "stopped", to: "running" }, decision: { from: won, to: null } },
      { status: { from: "running", to: "stopped" }, decision: { from: null, to: won } },
    ]);
  });

  test("is no business of client libraries", async () => {
    const experiment = await create();
    await put(experiment, { status: "stopped", decision: won });
    const key = await api.newKey("publishable");
    const { body } = await api.call<{ experiments: readonly WireExperiment[] }>("GET", "/v1/config", { key });
    const served = body.experiments.find(({ id }) => id === experiment.id);
    expect(served?.status).toBe("stopped");
    expect(served).not.toHaveProperty("decision");
    expect(JSON.stringify(body)).not.toContain(won.note);
  });
});
