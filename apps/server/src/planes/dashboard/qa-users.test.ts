import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { experimentBody, type WireExperiment, type WireProblem } from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface Listed extends WireExperiment {
  readonly qa_users: Readonly<Record<string, readonly string[]>>;
}
interface Entry {
  readonly id: string;
  readonly variants: readonly { readonly key: string }[];
  readonly qa_users?: Readonly<Record<string, number>>;
}
interface RawEvents {
  readonly items: readonly { readonly user_id: string; readonly ineligible_reason: string | null }[];
}

const VARIANTS = [{ key: "control" }, { key: "treatment" }, { key: "off", enabled: false }];
const LISTS = { treatment: ["qa-ann-0001"], off: ["qa-ben-0001"] };
let api: TestService;
let secret: string;
let publishable: string;
beforeAll(async () => {
  api = await openTestService();
  [secret, publishable] = [await api.newKey("secret"), await api.newKey("publishable")];
});
afterAll(() => api.stop());

let count = 0;
const create = async (change: Readonly<Record<string, unknown>> = {}) => {
  const body = experimentBody(`qa-${++count}`, {
    ...{ variants: VARIANTS, assignment: "assay", qa_users: LISTS },
    ...change,
  });
  return api.call<Listed & WireProblem>("POST", "/v1/experiments", { body });
};
const put = ({ id }: WireExperiment, body: unknown) =>
  api.call<Listed & WireProblem>("PUT", `/v1/experiments/${id}`, { body });
const assigned = async ({ id }: WireExperiment, userId: string) => {
  const body = { experiment_id: id, user_id: userId };
  return (await api.call<{ variant: string | null }>("POST", "/v1/assign", { key: secret, body })).body
    .variant;
};
const configFor = async (key: string) =>
  (await api.call<{ experiments: readonly Entry[] }>("GET", "/v1/config", { key })).body;
const entryOf = async ({ id }: WireExperiment) =>
  (await configFor(secret)).experiments.find((one) => one.id === id)!;

describe("QA users", () => {
  test("get their variant outside the coverage and while it is switched off, as long as it runs", async () => {
    const { body: experiment } = await create({ coverage: 0 });
    expect(await assigned(experiment, "qa-ann-0001")).toBe("treatment");
    expect(await assigned(experiment, "qa-ben-0001")).toBe("off");
    expect(await assigned(experiment, "somebody")).toBeNull();
    await put(experiment, { status: "stopped" });
    expect(await assigned(experiment, "qa-ann-0001")).toBeNull();
    expect(await entryOf(experiment)).not.toHaveProperty("qa_users");
    await put(experiment, { status: "shipped", shipped_variant: "control" });
    expect(await assigned(experiment, "qa-ann-0001")).toBe("control");
    expect(await entryOf(experiment)).not.toHaveProperty("qa_users");
  });

  test("are in the config under digests, the same for every key, and no id of theirs is", async () => {
    const { body: experiment } = await create();
    const plain = (await create({ qa_users: {} })).body;
    const { qa_users: digests = {}, variants } = await entryOf(experiment);
    expect(Object.keys(digests)).toEqual(Array(2).fill(expect.stringMatching(/^[0-9a-f]{16}$/)));
    expect(Object.values(digests).map((index) => variants[index]?.key)).toEqual(["treatment", "off"]);
    expect(await entryOf(plain)).not.toHaveProperty("qa_users");
    for (const key of [secret, publishable])
      expect(JSON.stringify(await configFor(key))).not.toMatch(/qa-(ann|ben)/);
    expect(await configFor(publishable)).toEqual(await configFor(secret));
  });

  test("change while it runs, in a version that moves no bucket; the audit has their number", async () => {
    const { body: experiment } = await create();
    const before = await entryOf(experiment);
    const changed = await put(experiment, { qa_users: { treatment: ["qa-cyd-0001"], off: LISTS.off } });
    expect(changed.body).toMatchObject({
      ...{ version: 2, qa_users: { treatment: ["qa-cyd-0001"], off: LISTS.off } },
      effective_allocation: experiment.effective_allocation,
    });
    expect(await entryOf(experiment)).toMatchObject({ buckets: (before as { buckets?: unknown }).buckets });
    expect(await assigned(experiment, "qa-cyd-0001")).toBe("treatment");
    const audit = await api.call<{ items: readonly { diff: object; summary: string }[] }>(
      "GET",
      `/v1/audit?target_id=${experiment.id}`,
    );
    const counts = { treatment: "1 ids", off: "1 ids" };
    expect(audit.body.items.map(({ diff }) => diff)).toEqual([
      { qa_users: { from: counts, to: counts } },
      expect.objectContaining({ qa_users: { from: null, to: counts } }),
    ]);
    expect(audit.body.items[0]?.summary).toBe("Changed qa_users: version 2.");
    expect(JSON.stringify(audit.body)).not.toContain("-0001");
    expect((await put(experiment, { description: "d" })).body.qa_users).toEqual(changed.body.qa_users);
  });

  test.each([
    { qa_users: { other: ["a"] }, pointer: "/qa_users/other" },
    { qa_users: { treatment: ["a"], control: ["a"] }, pointer: "/qa_users/control/0" },
    { qa_users: { treatment: [""] }, pointer: "/qa_users/treatment/0" },
    { qa_users: { treatment: ["x".repeat(257)] }, pointer: "/qa_users/treatment/0" },
    { qa_users: { treatment: Array.from({ length: 101 }, (_, i) => `u${i}`) }, pointer: "/qa_users" },
    { qa_users: { treatment: "a" }, pointer: "/qa_users/treatment" },
    { qa_users: null, pointer: "/qa_users" },
  ])("are refused at $pointer", async ({ qa_users, pointer }) => {
    const created = await create({ qa_users });
    expect([created.status, created.body.errors?.map((one) => one.pointer)]).toEqual([400, [pointer]]);
    const updated = await put((await create()).body, { qa_users });
    expect([updated.status, updated.body.errors?.map((one) => one.pointer)]).toEqual([400, [pointer]]);
  });

  test("are not in a shared report, nor in its history", async () => {
    const { body: experiment } = await create();
    const path = `/v1/experiments/${experiment.id}/report-links`;
    await api.call("PUT", "/v1/report-link-setting", { body: { allowed: true } });
    const { body: link } = await api.call<{ path: string }>("POST", path, { body: {} });
    const response = await fetch(`${api.service.url}/v1/shared-report`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token: link.path.replace("/shared#", "") }),
    });
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toContain(experiment.id);
    expect(text).not.toContain("-0001");
  });

  test("are in no arm and no count, also with events from before; they are counted apart", async () => {
    const { body: experiment } = await create({ qa_users: {} });
    const send = async (userId: string, variant?: string) => {
      const about = { experiment_id: experiment.id, timestamp: new Date().toISOString() };
      const row = { ...about, event_id: crypto.randomUUID(), type: "exposure", user_id: userId, variant };
      const { status } = await api.call("POST", "/v1/events", { key: secret, body: [row] });
      expect(status).toBe(202);
    };
    const read = async <T>(part: string) =>
      (await api.call<T>("GET", `/v1/experiments/${experiment.id}/${part}`)).body;
    const reasons = async () =>
      Object.fromEntries(
        (await read<RawEvents>("events")).items.map((row) => [row.user_id, row.ineligible_reason]),
      );
    const users = async () =>
      Object.values((await read<{ users: Record<string, number> }>("live")).users).reduce((a, b) => a + b);
    await send("somebody", "control");
    await send("early", "control");
    await expect.poll(users, { timeout: 80_000 }).toBe(2);
    await put(experiment, { qa_users: { treatment: ["early", "late", "never"] } });
    await send("late", "control");
    await send("late");
    await expect.poll(async () => Object.keys(await reasons()), { timeout: 80_000 }).toHaveLength(3);
    expect(await reasons()).toEqual({ somebody: null, early: null, late: "qa" });
    expect(await users()).toBe(1);
    const { checks } = await read<{ checks: readonly { code: string; detail: string }[] }>("health");
    expect(checks.find(({ code }) => code === "qa-users")?.detail).toBe(
      "2 QA users set apart, of 3 listed: they are in no arm.",
    );
    expect(checks.find(({ code }) => code === "ineligible-exposures")?.detail).toBe(
      "Every exposure counts for an arm.",
    );
    // Off the list, what was sent meanwhile still counts for no arm.
    await put(experiment, { qa_users: {} });
    expect(await users()).toBe(2);
  });
});
