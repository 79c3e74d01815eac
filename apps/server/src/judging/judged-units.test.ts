import { addDays, startOfDay } from "@assay/domain";
import { afterAll, beforeAll, expect, test } from "vitest";
import { experimentBody, metricBody, type WireExperiment } from "../test-support/experiments.ts";
import { judgement } from "../test-support/judge-completion.ts";
import {
  type JudgedService,
  listJudgements,
  openJudgedService,
  runNight,
  yesterday,
} from "../test-support/judged-service.ts";

const USERS = 60;
const CONVERSATIONS = 8;

let service: JudgedService;
let experiment: WireExperiment;
beforeAll(async () => {
  service = await openJudgedService();
});
afterAll(() => service.close());

/** A conversation of two calls, of which the second repeats what was said in the first. */
function conversation(experimentId: string, number: number, day = yesterday()) {
  // Each user is in both arms.
  const variant = (number + Math.floor(number / USERS)) % 2 === 0 ? "control" : "treatment";
  const unit = {
    user_id: `user-${number % USERS}`,
    unit_id: `c${number}`,
    variant,
    experiment_id: experimentId,
  };
  const at = startOfDay(day) + 60_000 * Math.floor(number / USERS) + 1_000 * (number % USERS);
  const hello = { role: "user", content: `Hello ${number}` };
  const system = { role: "system", content: "You are a helpful assistant who answers at length." };
  const answer = { role: "assistant", content: "Hello to you." };
  const call = (turn: number, messages: readonly object[], response: string) => ({
    ...{ ...unit, event_id: `call-${number}-${turn}`, type: "model_call", timestamp: at + 10 * turn },
    ...{ prompt: JSON.stringify([system, ...messages]), response },
  });
  return [
    { ...unit, event_id: `seen-${number}`, type: "exposure", timestamp: at },
    call(1, [hello], answer.content),
    call(2, [hello, answer, { role: "user", content: "And now?" }], `Goodbye ${number}`),
  ];
}

interface Row {
  readonly n_per_arm: Readonly<Record<string, number>>;
  readonly users_per_arm: Readonly<Record<string, number>>;
}

test("a judge scores whole conversations, drawn with a known probability, and they are compared with the error of their users", async () => {
  const { api, key, judge } = service;
  judge.always(({ messages }) => {
    const { conversation: text } = JSON.parse(String(messages.at(-1)?.content)) as { conversation: string };
    const number = Number(/Goodbye (\d+)/.exec(text)?.[1]);
    return { content: judgement(number % 3 > 0 ? "pass" : "fail") };
  });
  const quality = { kind: "ratio", category: "quality", judge: { rubric: "Is it right?", sample_rate: 1 } };
  const body = experimentBody("judged threads", {
    ...{ unit: "conversation", metrics: [metricBody("right", quality)] },
    variants: [
      { key: "control", prompt: "You are a helpful assistant who answers at length." },
      { key: "treatment", prompt: "You are a helpful assistant who is always brief." },
    ],
  });
  const created = await api.call<WireExperiment>("POST", "/v1/experiments", { body });
  expect(created.status).toBe(201);
  experiment = created.body;
  const { id } = experiment;
  for (let half = 0; half < 2; half++) {
    const size = (USERS * CONVERSATIONS) / 2;
    const events = Array.from({ length: size }, (_, i) => conversation(id, half * size + i)).flat();
    const sent = await api.call("POST", "/v1/events", { key, body: { events } });
    expect(sent.body).toMatchObject({ accepted: events.length });
  }
  await runNight(service);
  const judgements = await listJudgements(service, experiment);
  const first = judgements.filter(({ is_repeat: isRepeat }) => !isRepeat);
  expect(first).toHaveLength(USERS * CONVERSATIONS);
  expect(first[0]).toMatchObject({ probability: 1, unit_id: expect.stringMatching(/^c\d+$/) });
  expect(first.every(({ event_id: eventId }) => /^call-\d+-2$/.test(eventId))).toBe(true);
  for (const request of judge.seen) {
    expect(JSON.stringify(request.body)).not.toMatch(/helpful|at length|control|treatment|user-\d/);
    const { conversation: text } = JSON.parse(String(request.body.messages.at(-1)?.content));
    expect(text).toMatch(
      /^user: Hello \d+\n\nassistant: Hello to you\.\n\nuser: And now\?\n\nassistant: Goodbye \d+$/,
    );
  }
  const day = yesterday();
  const { body: run } = await api.call<{ results: Record<string, Row> }>(
    "GET",
    `/v1/experiments/${id}/results?day=${day}`,
  );
  const row = run.results["right::treatment"]!;
  expect(row.n_per_arm).toEqual({ control: 240, treatment: 240 });
  expect(row.users_per_arm).toEqual({ control: USERS, treatment: USERS });
  const { body: health } = await api.call<{ checks: { code: string; severity: string }[] }>(
    "GET",
    `/v1/experiments/${id}/health`,
  );
  expect(health.checks.find(({ code }) => code === "judge-cut")).toMatchObject({ severity: "ok" });
});

test("people label the same transcript, blind", async () => {
  const { api } = service;
  const { id } = experiment;
  const { body: queue } = await api.call<{
    unit: string;
    items: { event_id: string; input: null; answer: string }[];
  }>("GET", `/v1/experiments/${id}/labels/queue?metric=right`);
  expect(queue.unit).toBe("conversation");
  expect(queue.items.length).toBeGreaterThan(0);
  expect(queue.items[0]).toMatchObject({
    input: null,
    answer: expect.stringMatching(/^user: Hello \d+\n\nassistant: /),
  });
  const label = { metric: "right", event_id: queue.items[0]!.event_id, score: 1 };
  expect((await api.call("POST", `/v1/experiments/${id}/labels`, { body: label })).status).toBe(201);
});

test("a conversation that goes on the next day is judged again, up to its last call", async () => {
  const { api, key } = service;
  const before = addDays(yesterday(), -1);
  const events = conversation(experiment.id, 1_000, before);
  await api.call("POST", "/v1/events", { key, body: { events } });
  const later = { ...events[2]!, event_id: "call-1000-3", timestamp: startOfDay(yesterday()) + 1_000 };
  await api.call("POST", "/v1/events", { key, body: { events: [later] } });
  await runNight(service, before);
  const judged = (await listJudgements(service, experiment)).filter(
    ({ is_repeat: isRepeat, event_id: eventId }) => !isRepeat && eventId.startsWith("call-1000"),
  );
  // The later day had been drawn before the late call came.
  expect(judged.map(({ event_id: eventId }) => eventId)).toEqual(["call-1000-2"]);
});

test("a rubric is tried on whole conversations, each up to its newest call", async () => {
  const { api } = service;
  interface Tried {
    readonly unit: string;
    readonly experiment_name: string | null;
    readonly items: readonly {
      readonly event_id: string;
      readonly question: string | null;
      readonly answer: string;
      readonly score: number | null;
    }[];
  }
  const tryRubric = async (more: object) =>
    (
      await api.call<Tried>("POST", "/v1/judges/try", {
        body: { judge: { rubric: "Is it right?" }, ...more },
      })
    ).body;
  const tried = await tryRubric({ experiment_id: experiment.id });
  expect(tried).toMatchObject({ unit: "conversation", experiment_name: "judged threads" });
  expect(tried.items).toHaveLength(10);
  for (const { event_id: id, question, answer, score } of tried.items) {
    const [, number] = /^call-(\d+)-2$/.exec(id)!;
    expect(question).toBeNull();
    expect(answer).toContain(`user: Hello ${number}`);
    expect(answer).toContain(`Goodbye ${number}`);
    expect(answer).not.toContain("at length");
    expect(score).toBe(Number(number) % 3 > 0 ? 1 : 0);
  }
  expect((await tryRubric({ unit: "conversation" })).items.map(({ event_id: id }) => id)).toEqual(
    tried.items.map(({ event_id: id }) => id),
  );
  expect(await tryRubric({ unit: "run" })).toMatchObject({ unit: "run", experiment_name: null, items: [] });
});
