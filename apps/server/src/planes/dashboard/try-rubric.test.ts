import { afterAll, beforeAll, expect, test } from "vitest";
import type { WireProblem } from "../../test-support/experiments.ts";
import { judgedData } from "../../test-support/judge-completion.ts";
import {
  type JudgedService,
  judgedExperiment,
  openJudgedService,
  sendCalls,
  usedEvaluations,
} from "../../test-support/judged-service.ts";

interface Tried {
  readonly model: string;
  readonly experiment_name: string | null;
  readonly items: readonly {
    readonly event_id: string;
    readonly answer: string;
    readonly score: number | null;
    readonly detail: string | null;
  }[];
}

let service: JudgedService;
const tryRubric = (more: object = {}, token?: string) =>
  service.api.call<Tried & WireProblem>("POST", "/v1/judges/try", {
    body: { judge: { rubric: "Is it kind?" }, ...more },
    ...(token !== undefined && { token }),
  });

beforeAll(async () => {
  service = await openJudgedService();
});
afterAll(() => service.close());

test("without answers nothing is asked", async () => {
  const { status, body } = await tryRubric();
  expect(status).toBe(200);
  expect(body).toMatchObject({ experiment_name: null, items: [] });
  expect(service.judge.counts().charged).toBe(0);
});

test("ten answers, equally many of each variant, are scored by the rubric sent, counted, and stored nowhere", async () => {
  const experiment = await judgedExperiment(service, "answered", { sample_rate: 0.01 });
  await sendCalls(service, experiment, { users: 40, failing: [3] });
  await expect.poll(async () => (await tryRubric()).body.items?.length, { timeout: 20_000 }).toBe(10);
  const before = await usedEvaluations(service);
  const { body } = await tryRubric({ experiment_id: experiment.id });
  expect(body).toMatchObject({ model: "judge-1", experiment_name: "answered" });
  expect(body.items.every(({ score }) => score === 0 || score === 1)).toBe(true);
  const users = body.items.map(({ event_id: id }) => Number(id.split("-").at(-3)));
  expect(users.filter((user) => user % 2 === 0)).toHaveLength(5);
  expect(await usedEvaluations(service)).toBe(before + 10);
  const asked = service.judge.seen.at(-1)!.body;
  expect(JSON.stringify(asked)).toContain("Is it kind?");
  expect(judgedData(asked).answer).toMatch(/^It is \d/);
  const { body: judgements } = await service.api.call<{ items: readonly object[] }>(
    "GET",
    `/v1/experiments/${experiment.id}/judgements`,
  );
  expect(judgements.items).toEqual([]);
});

test("another org has no answers of it, and cannot name it", async () => {
  const token = await service.api.token({ email: "stranger@elsewhere.org", org: "strangers" });
  expect((await tryRubric({}, token)).body.items).toEqual([]);
  const { body: mine } = await service.api.call<readonly { id: string }[]>("GET", "/v1/experiments");
  expect((await tryRubric({ experiment_id: mine[0]!.id }, token)).status).toBe(404);
});

test("a rubric of white space and an unknown field are refused", async () => {
  expect((await tryRubric({ judge: { rubric: "  " } })).status).toBe(400);
  expect((await tryRubric({ judge: { rubric: "Kind?", sample_rate: 1 } })).status).toBe(400);
});
