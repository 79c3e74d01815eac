import { afterAll, beforeAll, expect, test } from "vitest";
import { type JudgedService, openJudgedService } from "../test-support/judged-service.ts";
import {
  countsOf,
  itemsOf,
  openRehearsingService,
  priceModels,
  putDataset,
  readRehearsal,
  rehearsalBody,
  startRehearsal,
  untilState,
} from "../test-support/rehearsals.ts";
import { rehearsalTask } from "./sweep-rehearsals.ts";

let world: JudgedService;
beforeAll(async () => {
  world = await openRehearsingService();
});
afterAll(() => world.close());

interface WirePair {
  readonly item_id: string;
  readonly messages: readonly unknown[] | null;
  readonly answers: readonly { readonly text: string | null; readonly length: number }[];
}

const readPairs = async (id: string): Promise<readonly WirePair[]> =>
  (await world.api.call<{ items: readonly WirePair[] }>("GET", `/v1/rehearsals/${id}/pairs`)).body.items;

test("a user's export has the rehearsed inputs with what was said about them", async () => {
  const items = itemsOf(2).map((item) => ({ ...item, userId: "export-me" }));
  const { id } = await startRehearsal(world.api, await putDataset(world.api, items));
  await untilState(world, { id }, "done");
  const queue = await world.api.call<{ items: readonly { id: string }[] }>(
    ...(["GET", `/v1/rehearsals/${id}/picks/queue`] as const),
  );
  for (const pair of queue.body.items)
    await world.api.call("POST", `/v1/rehearsals/${id}/picks`, { body: { id: pair.id, best: null } });
  const { body } = await world.api.call<string>("GET", "/v1/users/export-me/events");
  const lines = body
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toHaveLength(2);
  for (const line of lines)
    expect(line).toMatchObject({
      rehearsal_id: id,
      rehearsed: {
        ...{ user_id: "export-me", messages: [{ role: "user" }] },
        answers: [{ arm: "control", text: expect.any(String) }, { arm: "short" }],
        judgements: [{ treatment: "short", reason: expect.any(String) }, { treatment: "short" }],
      },
      picks: [{ treatment: "short", repeat: 0, preference: "tie" }],
    });
});

test("an erased user's inputs go with their answers, and the report is of the others", async () => {
  const { id } = await startRehearsal(world.api, await putDataset(world.api, itemsOf(4)));
  const before = await untilState(world, { id }, "done");
  expect((await world.api.call("DELETE", "/v1/users/user-2")).status).toBe(202);
  await expect.poll(async () => (await readRehearsal(world.api, id)).inputs, { timeout: 60_000 }).toBe(3);
  const after = await readRehearsal(world.api, id);
  expect(countsOf(after, "answer").done).toBe(6);
  expect(after.spent_usd).toBe(before.spent_usd);
  expect(after.report.rows[0]?.inputs).toBe(3);
  const items = (await readPairs(id)).map(({ item_id: itemId }) => itemId);
  expect(items.toSorted()).toEqual(["q-0", "q-1", "q-3"]);
  expect((await world.api.call("GET", "/v1/users/user-2/events")).body).toBeFalsy();
});

test("texts go with their dataset, and numbers stay", async () => {
  const datasetId = await putDataset(world.api, itemsOf(2));
  const { id } = await untilState(world, await startRehearsal(world.api, datasetId), "done");
  const control = world.api.openControl();
  try {
    const sweep = rehearsalTask({ control, clock: { now: () => Date.now() } });
    await sweep();
    expect((await readPairs(id))[0]?.answers[0]?.text).toMatch(/The answer is/);
    const me = await world.api.call<{ org_id: string }>("GET", "/v1/whoami");
    expect(await control.datasets.remove(me.body.org_id, datasetId)).toBe(true);
    await sweep();
  } finally {
    await control.close();
  }
  expect(await readRehearsal(world.api, id)).toMatchObject({ state: "done", has_texts: false });
  const [pair] = await readPairs(id);
  expect(pair).toMatchObject({ messages: null, answers: [{ text: null }, { text: null }] });
  expect(pair?.answers[0]?.length).toBeGreaterThan(10);
});

test("judgements of another model wait, and say so", async () => {
  world.judge.always({ latencyMs: 100 });
  const { id } = await startRehearsal(world.api, await putDataset(world.api, itemsOf(20)));
  world.useModel("m-1");
  await world.api.restart();
  world.judge.always({});
  const fault = async () => (await readRehearsal(world.api, id)).fault;
  await expect
    .poll(fault, { timeout: 40_000 })
    .toMatch(/began with the judge judge-1@.*ASSAY_JUDGE_MODEL to judge-1/);
  world.useModel(null);
  await world.api.restart();
  expect(await untilState(world, { id }, "done")).toMatchObject({ fault: null, ended_because: "completed" });
});

test("a plan without judge evaluations starts none, and judgements count in the month", async () => {
  const used = async () => {
    const usage = await world.api.call<{ judge_evaluations: { used: number } }>("GET", "/v1/usage");
    return usage.body.judge_evaluations.used;
  };
  const before = await used();
  const { id } = await startRehearsal(world.api, await putDataset(world.api, itemsOf(3)));
  await untilState(world, { id }, "done");
  expect((await used()) - before).toBe(6);
  const limited = await openJudgedService({ settings: { enforcePlanLimits: true } });
  try {
    await priceModels(limited.api, limited.judge);
    const body = rehearsalBody(await putDataset(limited.api, itemsOf(1)));
    const refused = await limited.api.call<{ detail: string }>("POST", "/v1/rehearsals", { body });
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: expect.stringMatching(/no judge evaluations/) },
    });
  } finally {
    await limited.close();
  }
});
