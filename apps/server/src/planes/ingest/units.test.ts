import { afterAll, beforeAll, expect, test } from "vitest";
import { experimentBody, type WireExperiment, type WireProblem } from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

let api: TestService;
let key: string;
let experiment: WireExperiment & { readonly unit: string };
beforeAll(async () => {
  api = await openTestService();
  key = await api.newKey("secret");
  const body = experimentBody("threads", { unit: "conversation" });
  experiment = (await api.call<typeof experiment>("POST", "/v1/experiments", { body })).body;
});
afterAll(() => api.stop());

interface Assigned {
  readonly variant: string | null;
}
const assign = (body: object) =>
  api.call<Assigned & WireProblem>("POST", "/v1/assign", {
    key,
    body: { experiment_id: "threads", ...body },
  });
const conversations = Array.from({ length: 40 }, (_, i) => `c${i}`);

test("a config says what its unit is, and cannot change it", async () => {
  expect(experiment.unit).toBe("conversation");
  const path = `/v1/experiments/${experiment.id}`;
  expect((await api.call("PUT", path, { body: { unit: "conversation", description: "d" } })).status).toBe(
    200,
  );
  const refused = await api.call<WireProblem>("PUT", path, { body: { unit: "user" } });
  expect(refused.status).toBe(400);
  expect(refused.body.errors).toEqual([
    { pointer: "/unit", detail: 'The unit is frozen at creation: leave it out or send "conversation".' },
  ]);
});

test("each conversation of a user is assigned by itself, and keeps its variant", async () => {
  const variants = await Promise.all(
    conversations.map(async (unit_id) => (await assign({ user_id: "ann", unit_id })).body.variant),
  );
  expect(new Set(variants).size).toBe(2);
  const again = await Promise.all(
    conversations.map(async (unit_id) => (await assign({ user_id: "bob", unit_id })).body.variant),
  );
  expect(again).toEqual(variants);
});

test("a request or an event that does not name the unit is told what to send", async () => {
  const refused = await assign({ user_id: "ann" });
  expect(refused.status).toBe(400);
  const detail =
    "unit_id is missing: this experiment assigns each conversation, so send the conversation's id as unit_id, in addition to user_id.";
  expect(refused.body.errors).toEqual([{ pointer: "/unit_id", detail }]);
  const event = { type: "exposure", experiment_id: "threads", user_id: "ann", timestamp: Date.now() };
  const { body } = await api.call<{ accepted: number; rejected: readonly object[] }>("POST", "/v1/events", {
    key,
    body: [
      { ...event, event_id: "e1" },
      { ...event, event_id: "e2", unit_id: "c0" },
      { ...event, event_id: "e3", unit_id: "" },
    ],
  });
  expect(body).toMatchObject({
    accepted: 1,
    rejected: [
      { index: 0, event_id: "e1", detail },
      { index: 2, event_id: "e3", detail: "unit_id must be a string of 1 to 256 characters." },
    ],
  });
});

test("clients get the unit, and of an experiment on users what they always got", async () => {
  await api.call("POST", "/v1/experiments", { body: experimentBody("people") });
  const { body } = await api.call<{ experiments: readonly { name: string; unit?: string }[] }>(
    "GET",
    "/v1/config",
    {
      key,
    },
  );
  const units = Object.fromEntries(
    body.experiments.map((entry) => [entry.name, Object.hasOwn(entry, "unit") && entry.unit]),
  );
  expect(units).toEqual({ threads: "conversation", people: false });
});

test("a flag's context names the unit", async () => {
  const evaluate = (flag: string, context: object) =>
    api.call<{ value?: string; errorCode?: string; errorDetails?: string }>(
      "POST",
      `/ofrep/v1/evaluate/flags/${flag}`,
      {
        key,
        body: { context: { targetingKey: "ann", ...context } },
      },
    );
  for (const unit_id of conversations.slice(0, 8)) {
    const { variant } = (await assign({ user_id: "ann", unit_id })).body;
    for (const context of [{ unit_id }, { conversation_id: unit_id }, { unit_id, conversation_id: "other" }])
      expect((await evaluate("threads", context)).body.value).toBe(variant);
  }
  const missing = await evaluate("threads", { run_id: "r" });
  expect(missing.status).toBe(400);
  expect(missing.body).toMatchObject({
    errorCode: "INVALID_CONTEXT",
    errorDetails: expect.stringContaining("conversation's id as unit_id"),
  });
  expect((await evaluate("threads", { unit_id: "x".repeat(257) })).body.errorCode).toBe("INVALID_CONTEXT");
  const all = await api.call<{ flags: readonly { key: string }[] }>("POST", "/ofrep/v1/evaluate/flags", {
    key,
    body: { context: { targetingKey: "ann" } },
  });
  expect(all.body.flags.map((flag) => flag.key)).toEqual(["people", "people.prompt", "people.variables"]);
});
