import { DAY_MS, toInstant } from "@assay/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { WireDataset, WireItems } from "../../test-support/datasets.ts";
import { experimentBody, type WireExperiment, type WireProblem } from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

const NOW = Date.UTC(2026, 4, 4, 12);
let api: TestService;
let key: string;
beforeAll(async () => {
  api = await openTestService({ enforcePlanLimits: true }, { now: () => NOW });
  key = await api.newKey("secret");
});
afterAll(() => api.stop());

const itemsOf = async (id: string) => (await api.call<WireItems>("GET", `/v1/datasets/${id}/items`)).body;
const says = (text: string) => [{ role: "user", text }];

const FROM = NOW - 3 * DAY_MS;
const PROMPT = "You are the assistant of a shop. Answer in one sentence.";
const create = async (name: string) => {
  const variants = ["control", "treatment"].map((variant) => ({ key: variant, prompt: PROMPT }));
  const body = experimentBody(name, { variants });
  return (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
};
const draw = (experimentId: string, more: object = {}) =>
  api.call<WireDataset & WireProblem>("POST", "/v1/datasets", {
    body: {
      name: "calls",
      from_experiment: {
        ...{ experiment_id: experimentId, from: toInstant(FROM), until: toInstant(NOW), items: 30 },
        ...more,
      },
    },
  });
const uploadFor = (userIds: readonly string[]) =>
  api.call<WireDataset>("POST", "/v1/datasets/upload?name=of+people", {
    body: userIds.map((user_id) => JSON.stringify({ input: "a", user_id })).join("\n"),
  });
const call = ({ id }: WireExperiment, index: number, more: object = {}) => ({
  ...{ event_id: `${id}-${index}`, type: "model_call", experiment_id: id, user_id: `user-${index % 9}` },
  ...{ timestamp: toInstant(FROM + (index % 3) * DAY_MS + 60_000), variant: "control", response: "So." },
  prompt: JSON.stringify([
    { role: "system", content: PROMPT },
    { role: "user", content: `Mail ${index}@example.org ${"x".repeat(index * 7)}` },
  ]),
  ...more,
});
const send = async (experiment: WireExperiment, events: readonly object[]) => {
  const { body } = await api.call<{ accepted: number }>("POST", "/v1/events", { key, body: { events } });
  expect(body.accepted).toBe(events.length);
  // An analysis waits until what was accepted is stored.
  await api.call("POST", `/v1/experiments/${experiment.id}/analyze`);
};

test("hold calls with their probability, without exclusions and the variants' prompts", async () => {
  const experiment = await create("drawn from");
  const excluded = { reason: "Bots.", match: { user_ids: ["bot"] } };
  await api.call("POST", `/v1/experiments/${experiment.id}/exclusions`, { body: excluded });
  await send(experiment, [
    ...Array.from({ length: 60 }, (_, index) => call(experiment, index)),
    call(experiment, 101, { user_id: "bot" }),
    call(experiment, 102, { prompt: undefined }),
    call(experiment, 103, { timestamp: toInstant(FROM - 1) }),
  ]);
  const { status, body } = await draw(experiment.id);
  expect(status).toBe(201);
  expect(body).toMatchObject({ name: "calls", version: 1, items: 30, masked: { email: 30 } });
  expect(body.source).toEqual({
    ...{ kind: "calls", experiment_id: experiment.id, calls: 60, left_out: 0 },
    ...{ from: toInstant(FROM), until: toInstant(NOW) },
  });
  // Received today, and kept for 7 days by the free plan.
  expect(body.expires_at).toBe("2026-05-12T00:00:00.000Z");
  const { items } = await itemsOf(body.id);
  expect(items).toHaveLength(30);
  for (const { probability, messages, id, user_id } of items) {
    expect(probability).toBe(0.5);
    expect(messages).toEqual([{ role: "user", text: expect.stringMatching(/^Mail \[email\]( x+)?\s*$/) }]);
    expect(user_id).toBe(`user-${Number(id.split("-").at(-1)) % 9}`);
  }
  const all = await draw("drawn from", { items: 10_000 });
  expect(all.body).toMatchObject({ version: 2, items: 60 });
  expect((await itemsOf(all.body.id)).items[0]?.probability).toBe(1);
});

test("leave out what cannot be read, and count it; a sampled call stands for more", async () => {
  const experiment = await create("odd calls");
  await send(experiment, [
    call(experiment, 0, { sampling_probability: 0.1, prompt: `${PROMPT} Why?` }),
    call(experiment, 1, { prompt: '[{"role": "user", "content": "cut of' }),
    call(experiment, 2, { prompt: PROMPT }),
  ]);
  const { body } = await draw(experiment.id);
  expect(body).toMatchObject({ items: 1, source: { calls: 3, left_out: 2 } });
  expect((await itemsOf(body.id)).items).toMatchObject([{ messages: says("Why?"), probability: 0.1 }]);
});

test("lose the inputs of a person who is erased, uploaded ones too", async () => {
  const experiment = await create("of people");
  const [ann, bob] = ["ann who leaves", "bob who stays"];
  await send(experiment, [call(experiment, 0, { user_id: ann }), call(experiment, 1, { user_id: bob })]);
  const drawn = (await draw(experiment.id)).body;
  const uploaded = (await uploadFor([ann, bob])).body;
  expect([drawn.items, uploaded.items]).toEqual([2, 2]);
  expect((await api.call("DELETE", `/v1/users/${encodeURIComponent(ann)}`)).status).toBe(202);
  for (const { id } of [drawn, uploaded]) {
    await expect
      .poll(async () => (await api.call<WireDataset>("GET", `/v1/datasets/${id}`)).body.items, {
        timeout: 60_000,
      })
      .toBe(1);
    expect((await itemsOf(id)).items).toMatchObject([{ user_id: bob, position: 1 }]);
  }
});

test("are gone with their experiment", async () => {
  const experiment = await create("to be deleted");
  await send(experiment, [call(experiment, 0)]);
  const { id } = (await draw(experiment.id)).body;
  for (const status of ["stopped", "archived"])
    await api.call("PUT", `/v1/experiments/${experiment.id}`, { body: { status } });
  expect((await api.call("DELETE", `/v1/experiments/${experiment.id}`)).status).toBe(204);
  expect((await api.call("GET", `/v1/datasets/${id}`)).status).toBe(404);
});

test("are refused without calls, without an experiment of the org, and for windows that are no windows", async () => {
  const experiment = await create("without calls");
  expect((await draw(experiment.id)).body.detail).toMatch(/has no calls with a prompt/);
  expect((await draw("nobody's")).status).toBe(404);
  expect((await draw(experiment.id, { until: toInstant(FROM) })).body.detail).toMatch(/until: must be later/);
  expect((await draw(experiment.id, { from: toInstant(NOW - 32 * DAY_MS) })).body.detail).toMatch(
    /at most 31 days/,
  );
  expect((await draw(experiment.id, { items: 10_001 })).status).toBe(400);
  const token = await api.token({ org: "strangers", role: "owner" });
  const body = {
    name: "x",
    from_experiment: {
      experiment_id: experiment.id,
      from: toInstant(FROM),
      until: toInstant(NOW),
      items: 1,
    },
  };
  expect((await api.call("POST", "/v1/datasets", { token, body })).status).toBe(404);
});
