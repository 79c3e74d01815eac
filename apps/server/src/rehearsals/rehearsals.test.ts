import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { comparedData, judgedData, preference, wanted } from "../test-support/judge-completion.ts";
import type { JudgedService } from "../test-support/judged-service.ts";
import {
  countsOf,
  itemsOf,
  openRehearsingService,
  priceModels,
  putDataset,
  readRehearsal,
  rehearsalBody,
  rehearseItems,
  startRehearsal,
  untilState,
  type WireRehearsal,
} from "../test-support/rehearsals.ts";
import { REHEARSAL_CONCURRENCY } from "./rehearsal-pool.ts";

let world: JudgedService;
beforeAll(async () => {
  world = await openRehearsingService();
});
afterAll(() => world.close());
beforeEach(() => world.judge.always({}));

const start = (items: number, overrides?: object) => rehearseItems(world.api, items, overrides);

const post = <T>(path: string, body?: unknown) =>
  world.api.call<T & { detail: string; type: string; errors: readonly { pointer: string }[] }>("POST", path, {
    ...(body === undefined ? {} : { body }),
  });

describe("a rehearsal", () => {
  test("answers every input with every arm, has each pair judged in both orders, and ends", async () => {
    const before = world.judge.counts();
    const startedAt = performance.now();
    const done = await untilState(world, await start(200), "done");
    console.info(`200 inputs, 2 arms: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
    expect(done).toMatchObject({ ended_because: "completed", inputs: 200, fault: null });
    expect(done.progress.finished_inputs).toBe(200);
    expect(countsOf(done, "answer")).toEqual({ pending: 0, done: 400, failed: 0 });
    expect(countsOf(done, "judgement")).toEqual({ pending: 0, done: 400, failed: 0 });
    const spent = done.progress.requests.reduce((sum, { cost_usd: usd }) => sum + usd, 0);
    expect(done.spent_usd).toBeCloseTo(spent, 9);
    const after = world.judge.counts();
    expect(after.charged - before.charged).toBe(800);
    expect(after.replayed).toBe(before.replayed);
    expect(after.maxInFlight).toBeLessThanOrEqual(2 * REHEARSAL_CONCURRENCY);
    expect(done.report.verdicts).toHaveLength(1);
    const row = done.report.rows.find(({ metric }) => metric === "preference");
    expect(row).toMatchObject({ inputs: 200, clusters: 200 });
    // The judge decides by a hash, the same in both orders: nobody is better.
    expect(Math.abs(row?.effect ?? 1)).toBeLessThan(0.3);
  });

  test("sends each arm its prompt, model and parameters, and the judge nothing that says whose answer is whose", async () => {
    world.judge.always((request) =>
      wanted(request) === "answer"
        ? {
            content: `I was told: ${request.messages[0]?.content} It is ${request.messages.at(-1)?.content.length}.`,
          }
        : {},
    );
    const { id } = await untilState(world, await start(1), "done");
    const seen = world.judge.seen.slice(-4).map(({ body }) => body);
    const answers = seen.filter((body) => wanted(body) === "answer");
    expect(answers.find(({ model }) => model === "m-2")).toMatchObject({
      messages: [
        { role: "system", content: "Answer with the number alone, please." },
        { role: "user", content: "What is 0 times 7?" },
      ],
      seed: 7,
    });
    const compared = seen.filter((body) => wanted(body) === "preference");
    expect(compared).toHaveLength(2);
    const [one, other] = compared.map((body) => comparedData(body));
    expect(one).toMatchObject({ input: "What is 0 times 7?", first: "I was told: […] It is 18." });
    expect([one?.first, one?.second]).toEqual([other?.second, other?.first]);
    for (const { model, messages } of compared) {
      expect(model).toBe("judge-1");
      expect(JSON.stringify(messages)).not.toMatch(
        /control|treatment|short|m-1|m-2|patient|number alone|user-0/,
      );
    }
    expect(await readPairs(id)).toMatchObject([
      {
        item_id: "q-0",
        user_id: "user-0",
        messages: [{ role: "user", text: "What is 0 times 7?" }],
        answers: [
          { arm: "control", repeat: 0, text: expect.stringContaining("patient teacher") },
          { arm: "short", repeat: 0, text: expect.stringContaining("number alone") },
        ],
        judgements: [
          { treatment: "short", first: "control", preference: "tie" },
          { treatment: "short", first: "treatment", preference: "tie" },
        ],
      },
    ]);
  });

  test("scores each answer in mode score, with what is known to be good", async () => {
    const items = itemsOf(3).map((item) => ({ ...item, reference: "Seven times that." }));
    const id = await putDataset(world.api, items);
    const judge = { rubric: "Is it right?", mode: "score", scale: "1-5" };
    const done = await untilState(world, await startRehearsal(world.api, id, { judge, repeats: 2 }), "done");
    expect(countsOf(done, "answer").done).toBe(12);
    expect(countsOf(done, "score").done).toBe(12);
    expect(countsOf(done, "judgement").done).toBe(0);
    const scored = world.judge.seen.map(({ body }) => body).filter((body) => wanted(body) === "score");
    expect(judgedData(scored.at(-1)!)).toMatchObject({ reference: "Seven times that." });
    expect((await readPairs(done.id))[0]?.judgements).toHaveLength(4);
  });

  test("ends early when enough is known", async () => {
    // The short answer is better in the eyes of this judge, whichever comes first.
    world.judge.always((request) => {
      if (wanted(request) === "answer") return { content: request.model === "m-2" ? "7" : "It is about 7." };
      return { content: preference(comparedData(request).first === "7" ? "first" : "second") };
    });
    const done = await untilState(world, await start(400, { stop_when_enough: true }), "done");
    expect(done).toMatchObject({ ended_because: "enough" });
    expect(done.report.is_enough).toBe(true);
    expect(done.progress.finished_inputs).toBeLessThan(300);
    expect(done.report.verdicts).toMatchObject([{ verdict: "not-worse" }]);
  });
});

interface WirePair {
  readonly answers: readonly { readonly text: string | null; readonly cause: string | null }[];
  readonly judgements: readonly { readonly cause: string | null; readonly detail: string | null }[];
}

async function readPairs(id: string): Promise<readonly WirePair[]> {
  const path = `/v1/rehearsals/${id}/pairs?limit=50`;
  return (await world.api.call<{ items: readonly WirePair[] }>("GET", path)).body.items;
}

describe("the budget", () => {
  test("is exceeded by no more than the requests that were in flight", async () => {
    world.judge.always({ latencyMs: 5 });
    const { maxInFlight } = world.judge.counts();
    const done = await untilState(world, await start(300, { budget_usd: 0.005 }), "done");
    expect(done).toMatchObject({ ended_because: "budget" });
    expect(done.spent_usd).toBeGreaterThanOrEqual(0.005);
    const requests = done.progress.requests.reduce((sum, one) => sum + one.done, 0);
    const perRequest = done.spent_usd / requests;
    expect(done.spent_usd - 0.005).toBeLessThan(perRequest * 2 * Math.max(maxInFlight, 32));
    expect(requests).toBeLessThan(300);
    expect(countsOf(done, "judgement").done).toBeGreaterThan(0);
  });

  test("needs a price of every model", async () => {
    const id = await putDataset(world.api, itemsOf(1));
    const arms = ["m-1", "nobody's"].map((model) => ({ name: model, model }));
    const refused = await post("/v1/rehearsals", rehearsalBody(id, { arms }));
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toMatch(/no price for "nobody's".*PUT \/v1\/prices/);
  });
});

describe("people", () => {
  test("pause it, go on with it and stop it", async () => {
    world.judge.always({ latencyMs: 30 });
    const { id } = await start(100);
    const paused = await post<WireRehearsal>(`/v1/rehearsals/${id}/pause`);
    expect(paused).toMatchObject({ status: 200, body: { state: "paused" } });
    expect(await post(`/v1/rehearsals/${id}/pause`)).toMatchObject({
      ...{
        status: 409,
        body: { detail: "The rehearsal is paused. Only a running rehearsal can be paused." },
      },
    });
    await expect.poll(() => world.judge.counts().inFlight).toBe(0);
    const { requests } = world.judge.counts();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(world.judge.counts().requests).toBe(requests);
    expect(await post(`/v1/rehearsals/${id}/resume`)).toMatchObject({ body: { state: "running" } });
    await expect.poll(() => world.judge.counts().requests).toBeGreaterThan(requests);
    expect(await post(`/v1/rehearsals/${id}/stop`)).toMatchObject({ body: { state: "stopped" } });
    expect(await post(`/v1/rehearsals/${id}/resume`)).toMatchObject({ status: 409 });
    await expect.poll(() => world.judge.counts().inFlight).toBe(0);
    const stopped = await readRehearsal(world.api, id);
    expect(stopped).toMatchObject({ ended_because: null });
    expect(stopped.progress.finished_inputs).toBeLessThan(100);
    const entries = await world.api.call<{ items: readonly { action: string; target_id: string }[] }>(
      ...(["GET", "/v1/audit?limit=10"] as const),
    );
    const own = entries.body.items
      .filter(({ target_id: target }) => target === id)
      .map(({ action }) => action);
    expect(own).toEqual(["rehearsal.stop", "rehearsal.resume", "rehearsal.pause", "rehearsal.create"]);
  });

  test("take an arm from a variant of an experiment", async () => {
    const variants = [
      { key: "control", prompt: "Be kind.", variables: { model: "m-1", temperature: 0.5, color: "red" } },
      { key: "treatment", prompt: "Be brief." },
    ];
    const { experimentBody } = await import("../test-support/experiments.ts");
    const body = experimentBody(`rehearsed-${randomUUID()}`, { variants });
    const { id: experimentId } = (await post<{ id: string }>("/v1/experiments", body)).body;
    const arm = (variant: string, more = {}) => ({
      name: variant,
      experiment_id: experimentId,
      variant,
      ...more,
    });
    const datasetId = await putDataset(world.api, itemsOf(1));
    const arms = [arm("control"), arm("treatment", { model: "m-2", experiment_id: body.name })];
    expect(await startRehearsal(world.api, datasetId, { arms })).toMatchObject({
      arms: [
        { name: "control", prompt: "Be kind.", model: "m-1", parameters: { temperature: 0.5 } },
        { name: "treatment", prompt: "Be brief.", model: "m-2", parameters: {} },
      ],
    });
    const refused = await post(
      "/v1/rehearsals",
      rehearsalBody(datasetId, {
        arms: [arm("x"), arm("treatment"), arm("control", { name: "other", experiment_id: "nobody's" })],
      }),
    );
    expect(refused.status).toBe(400);
    expect(refused.body.errors.map(({ pointer }) => pointer)).toEqual([
      "/arms/0/variant",
      "/arms/1/model",
      "/arms/2/experiment_id",
    ]);
  });

  test("have a bounded number of open ones", async () => {
    world.judge.always({ line: "hang" });
    const started: WireRehearsal[] = [];
    const datasetId = await putDataset(world.api, itemsOf(1));
    for (let i = 0; i < 5; i++) started.push(await startRehearsal(world.api, datasetId));
    const refused = await post("/v1/rehearsals", rehearsalBody(datasetId));
    expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining("stop one") } });
    for (const { id } of started) await post(`/v1/rehearsals/${id}/stop`);
    world.judge.always({});
  });

  test.each([
    { what: "an unknown dataset", change: { dataset_id: randomUUID() }, status: 404 },
    { what: "one arm", change: { arms: [{ name: "a", model: "m-1" }] }, status: 400 },
    { what: "a margin above a preference", change: { margin: 1.5 }, status: 400 },
    { what: "an unknown field", change: { budget: 5 }, status: 400 },
  ])("are told what is wrong with $what", async ({ change, status }) => {
    const datasetId = await putDataset(world.api, itemsOf(1));
    expect((await post("/v1/rehearsals", rehearsalBody(datasetId, change))).status).toBe(status);
  });

  test("of another org see none of it", async () => {
    const token = await world.api.token({ email: "eve@other.org", org: "others" });
    await world.api.call("GET", "/v1/whoami", { token });
    const rehearsal = await start(1);
    await untilState(world, rehearsal, "done");
    const path = `/v1/rehearsals/${rehearsal.id}`;
    for (const [method, address] of [
      ["GET", path],
      ["GET", `${path}/pairs`],
      ["POST", `${path}/pause`],
      ["POST", `${path}/resume`],
      ["POST", `${path}/stop`],
    ] as const)
      expect((await world.api.call(method, address, { token })).status).toBe(404);
    const list = await world.api.call<{ items: readonly unknown[] }>("GET", "/v1/rehearsals", { token });
    expect(list.body.items).toEqual([]);
    const own = await world.api.call<{ items: readonly { id: string }[] }>("GET", "/v1/rehearsals?limit=1");
    expect(own.body.items).toMatchObject([{ id: rehearsal.id, state: "done", arms: ["control", "short"] }]);
  });
});

describe("an endpoint", () => {
  test("that fails now and then is asked again with the same key, and one that answers nonsense is given up", async () => {
    world.judge.script({ status: 503 }, { line: "cut-after" }, { status: 429, retryAfter: "1" });
    const done = await untilState(world, await start(3), "done");
    expect(countsOf(done, "answer")).toEqual({ pending: 0, done: 6, failed: 0 });
    expect(countsOf(done, "judgement").done).toBe(6);
    world.judge.always((request) => (wanted(request) === "preference" ? { content: "Both are nice." } : {}));
    const judged = await untilState(world, await start(2), "done");
    expect(countsOf(judged, "judgement")).toEqual({ pending: 0, done: 0, failed: 4 });
    const [pair] = await readPairs(judged.id);
    expect(pair?.judgements[0]).toMatchObject({ cause: "malformed-answer" });
    world.judge.always((request) => (wanted(request) === "answer" ? { body: '{"choices": [{}]}' } : {}));
    const empty = await untilState(world, await start(2), "done");
    expect(countsOf(empty, "answer")).toEqual({ pending: 0, done: 0, failed: 4 });
  });

  test("that does not serve a model pauses the rehearsal that names it, and no other", async () => {
    await world.api.call("PUT", "/v1/prices", {
      body: { ...PRICE, model: "m-3" },
    });
    const datasetId = await putDataset(world.api, itemsOf(5));
    const arms = ["m-1", "m-3"].map((model) => ({ name: model, model }));
    const paused = await untilState(world, await startRehearsal(world.api, datasetId, { arms }), "paused");
    expect(paused.fault).toMatch(/m-3.*does not exist/);
    expect(countsOf(paused, "answer").failed).toBe(0);
    await untilState(world, await start(2), "done");
    world.judge.serve("m-3");
    await post(`/v1/rehearsals/${paused.id}/resume`);
    expect(await untilState(world, paused, "done")).toMatchObject({
      fault: null,
      ended_because: "completed",
    });
  });

  test("may say so in LiteLLM's words", async () => {
    const message = "/chat/completions: Invalid model name passed in model=m-2. Call `/v1/models`.";
    world.judge.always(({ model }) => (model === "m-2" ? { status: 400, error: { message } } : {}));
    const paused = await untilState(world, await start(2), "paused");
    expect(paused.fault).toContain("Invalid model name");
    await post(`/v1/rehearsals/${paused.id}/stop`);
  });

  test("that limits the rate of one org does not slow another", async () => {
    const token = await world.api.token({ email: "eve@other.org", org: "others" });
    await priceModels(world.api, world.judge, 1, token);
    world.judge.always((request) =>
      request.model === "m-2" ? { status: 429, retryAfter: "600" } : { latencyMs: 5 },
    );
    const limited = await start(40);
    await expect.poll(() => world.judge.counts().inFlight).toBe(0);
    const datasetId = await putDataset(world.api, itemsOf(40), token);
    const arms = ["one", "two"].map((name) => ({ name, prompt: `Be ${name}.`, model: "m-1" }));
    const body = rehearsalBody(datasetId, { arms });
    const { body: other } = await world.api.call<WireRehearsal>("POST", "/v1/rehearsals", { token, body });
    const stateOfOther = async () =>
      (await world.api.call<WireRehearsal>("GET", `/v1/rehearsals/${other.id}`, { token })).body.state;
    await expect.poll(stateOfOther, { timeout: 60_000 }).toBe("done");
    const waiting = await readRehearsal(world.api, limited.id);
    expect(waiting).toMatchObject({ state: "running", progress: { finished_inputs: 0 } });
    await post(`/v1/rehearsals/${limited.id}/stop`);
    // Its models are served again, but the org waits: another org's rehearsal must not hold this suite up.
    await world.api.restart();
  });

  test("that rejects an arm's requests pauses it instead of failing every input", async () => {
    world.judge.always((request) =>
      request.model === "m-2" ? { status: 400, error: { message: "No seed." } } : {},
    );
    const paused = await untilState(world, await start(60), "paused");
    expect(paused.fault).toMatch(/10 requests in a row were rejected\..*No seed/);
    expect(countsOf(paused, "answer").failed).toBeLessThan(40);
    await post(`/v1/rehearsals/${paused.id}/stop`);
  });

  test("that refuses the key says so, and the rehearsal goes on when it takes it", async () => {
    world.judge.always({ status: 401 });
    const { id } = await start(2);
    const fault = async () => (await readRehearsal(world.api, id)).fault;
    await expect.poll(fault).toMatch(/401.*check ASSAY_JUDGE_API_KEY/);
    await post(`/v1/rehearsals/${id}/stop`);
  });
});

const PRICE = { effective_from: "2026-01-01", input_usd_per_million: 1, output_usd_per_million: 1 };
