import { addDays, type Clock, DAY_MS } from "@assay/domain";
import { afterEach, describe, expect, test } from "vitest";
import { isNight } from "../../../../tests/in-night.ts";
import { judgedData } from "../test-support/judge-completion.ts";
import type { JudgeStep } from "../test-support/judge-step.ts";
import {
  type JudgedService,
  judgedExperiment,
  listJudgements,
  openJudgedService,
  readJudges,
  runNight,
  sendCalls,
  usedEvaluations,
  type WireJudgement,
  yesterday,
} from "../test-support/judged-service.ts";

let service: JudgedService;
afterEach(() => service.close());

const open = async (options?: Parameters<typeof openJudgedService>[0]) => {
  service = await openJudgedService(options);
};
const backlog = async () => (await readJudges(service)).backlog;
const untilJudged = () => expect.poll(backlog).toBe(0);
const countBy = <T>(items: readonly T[], key: (item: T) => string) =>
  Object.fromEntries([...Map.groupBy(items, key)].map(([name, group]) => [name, group.length]));
const isFirst = ({ is_repeat: isRepeat }: WireJudgement) => !isRepeat;

describe("a night", () => {
  test("draws the day's calls, equally many of each arm, has them judged blind and counts each score once", async () => {
    await open();
    const experiment = await judgedExperiment(service, "whole", { sample_rate: 0.5 });
    await sendCalls(service, experiment, { users: 120, callsPerUser: 2, failing: [4, 6] });
    await runNight(service);
    const judgements = await listJudgements(service, experiment);
    expect(countBy(judgements.filter(isFirst), ({ variant }) => variant)).toEqual({
      control: 60,
      treatment: 60,
    });
    expect(countBy(judgements, ({ state }) => state)).toEqual({ scored: judgements.length });
    // Everybody's first call by hash was drawn, and no second one.
    expect(new Set(judgements.map(({ probability }) => probability))).toEqual(new Set([0.5]));
    const unasked = judgements.filter(({ reason }) => reason === "The call failed.");
    expect(unasked.map(({ score, input_tokens: tokens }) => [score, tokens])).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(await usedEvaluations(service)).toBe(judgements.length - unasked.length);
    expect(service.judge.counts().charged).toBe(judgements.length - unasked.length);
    for (const { body } of service.judge.seen) {
      expect(judgedData(body)).toEqual({
        input: expect.stringMatching(/^What is \d+ and \d\?$/),
        answer: expect.stringMatching(/^It is \d/),
      });
      // Neither arm, nor a variant's prompt, nor experiment, user or event.
      expect(JSON.stringify(body)).not.toMatch(/control|treatment|helpful|whole|-u\d/);
    }
  });

  test("that is run again draws nothing again, and one after it goes on", async () => {
    await open();
    const experiment = await judgedExperiment(service, "twice");
    const before = addDays(yesterday(), -1);
    await sendCalls(service, experiment, { users: 20, day: before });
    await runNight(service, before);
    const { charged } = service.judge.counts();
    await sendCalls(service, experiment, { users: 30, day: before });
    await runNight(service, before);
    await service.api.restart();
    expect(await backlog()).toBe(0);
    expect(service.judge.counts().charged).toBe(charged);
    await sendCalls(service, experiment, { users: 20 });
    await runNight(service);
    expect((await listJudgements(service, experiment)).filter(isFirst)).toHaveLength(40);
  });
});

test("nights of several days judge the calls of each of them, and of no other day", async () => {
  await open();
  const experiment = await judgedExperiment(service, "several");
  const days = [-2, -1, 0].map((back) => addDays(yesterday(), back));
  for (const day of days) await sendCalls(service, experiment, { users: 20, day });
  const body = { from_day: days[0], day: days[1] };
  const { status } = await service.api.call("POST", "/v1/admin/pipeline-runs", { body });
  expect(status).toBe(200);
  const judgements = (await listJudgements(service, experiment)).filter(isFirst);
  expect(countBy(judgements, ({ event_id: id, state }) => `${/\d{4}-\d\d-\d\d/.exec(id)} ${state}`)).toEqual({
    [`${days[0]} scored`]: 20,
    [`${days[1]} scored`]: 20,
  });
});

/** What becomes of the user's call: a step for its first request, or for all of them. */
const FAULTS: readonly {
  readonly step: JudgeStep;
  readonly isOnce: boolean;
  readonly ends: Partial<WireJudgement>;
}[] = [
  { step: { status: 500 }, isOnce: true, ends: { state: "scored", attempts: 2 } },
  { step: { line: "hang" }, isOnce: true, ends: { state: "scored", attempts: 2 } },
  { step: { line: "cut-before" }, isOnce: true, ends: { state: "scored", attempts: 2 } },
  { step: { line: "cut-after" }, isOnce: true, ends: { state: "scored", attempts: 2 } },
  { step: { status: 429, retryAfter: "1" }, isOnce: true, ends: { state: "scored", attempts: 1 } },
  { step: { latencyMs: 200 }, isOnce: true, ends: { state: "scored", attempts: 1 } },
  { step: { content: "Pass!" }, isOnce: true, ends: { state: "scored", attempts: 1 } },
  {
    step: { content: "Pass!" },
    isOnce: false,
    ends: { state: "failed", cause: "malformed-answer", attempts: 1 },
  },
  { step: { refusal: "No." }, isOnce: false, ends: { state: "failed", cause: "refused", detail: "No." } },
  { step: { status: 413 }, isOnce: false, ends: { state: "failed", cause: "rejected", score: null } },
];

/** By the user's number, which is in the answer. */
function faultyJudge() {
  const met = new Set<number>();
  return (request: Parameters<typeof judgedData>[0]): JudgeStep => {
    const user = Number(/user (\d+) may/.exec(judgedData(request).answer)?.[1]);
    const fault = FAULTS[user];
    if (fault === undefined || (fault.isOnce && met.has(user))) return {};
    met.add(user);
    return fault.step;
  };
}

test("every fault of the endpoint ends in a state with its reason, nothing is lost, and only scores are counted", async () => {
  await open({ judgeTimeoutMs: 2_000 });
  const { api, judge } = service;
  await api.call("PUT", "/v1/prices", {
    body: {
      model: "judge-1",
      effective_from: "2026-01-01",
      input_usd_per_million: 10,
      output_usd_per_million: 10,
    },
  });
  const experiment = await judgedExperiment(service, "faults");
  const users = 40;
  await sendCalls(service, experiment, { users });
  judge.always(faultyJudge());
  await runNight(service);
  await untilJudged();
  const judgements = await listJudgements(service, experiment);
  const first = new Map(judgements.filter(isFirst).map((one) => [one.event_id, one]));
  expect(first.size).toBe(users);
  for (const [user, { step, ends }] of FAULTS.entries())
    expect([step, first.get(`faults-${yesterday()}-${user}-call-0`)]).toMatchObject([step, ends]);
  const scored = judgements.filter(({ state }) => state === "scored");
  expect(await usedEvaluations(service)).toBe(scored.length);
  const judges = await readJudges(service);
  expect(judges.items[0]?.failures.map(({ cause }) => cause).toSorted()).toEqual([
    "malformed-answer",
    "refused",
    "rejected",
  ]);
  expect(judges.items[0]?.unpriced).toBe(0);
  const spent = judgements.reduce((sum, { cost_usd: cost }) => sum + (cost ?? 0), 0);
  expect(judges.cost_usd_today).toBeCloseTo(spent, 9);

  judge.always({});
  const retry = { body: { metric: "right" } };
  const retried = await api.call("POST", `/v1/experiments/${experiment.id}/judgements/retry`, retry);
  expect(retried.body).toEqual({ retried: judgements.length - scored.length });
  await untilJudged();
  expect(await usedEvaluations(service)).toBe(judgements.length);
});

test("an endpoint that takes no request stops judging, says so, and nothing counts as tried", async () => {
  await open();
  const experiment = await judgedExperiment(service, "locked-out");
  await sendCalls(service, experiment, { users: 40 });
  service.judge.always({ status: 401 });
  await runNight(service);
  const judges = await readJudges(service);
  expect(judges.fault?.detail).toMatch(/401.*ASSAY_JUDGE_API_KEY/);
  expect(judges.items[0]?.state).toBe("judge-failing");
  const pending = await listJudgements(service, experiment);
  expect(countBy(pending, ({ state, attempts }) => `${state} ${attempts}`)).toEqual({
    "pending 0": pending.length,
  });
  expect(service.judge.counts().requests).toBeLessThanOrEqual(32);
  service.judge.always({});
  await service.api.restart();
  await untilJudged();
  expect((await readJudges(service)).fault).toBeNull();
  expect(await usedEvaluations(service)).toBe(pending.length);
});

test("a service that stops gives back what it had claimed, unattempted", async () => {
  await open();
  const experiment = await judgedExperiment(service, "stopped");
  await sendCalls(service, experiment, { users: 200 });
  service.judge.always({ line: "hang" });
  const night = runNight(service).catch(() => undefined);
  await expect.poll(() => service.judge.counts().inFlight).toBe(32);
  await service.api.service.close();
  await night;
  const control = service.api.openControl();
  const now = Date.now();
  const claim = { now, leaseUntil: now + 1, limit: 1_000, claim: "a test's", experimentId: experiment.id };
  const tasks = await control.judgements.claim(claim);
  await control.close();
  expect(tasks.length).toBeGreaterThanOrEqual(200);
  expect(Math.max(...tasks.map(({ attempts }) => attempts))).toBe(0);
  service.judge.always({});
  await service.api.restart();
  await untilJudged();
  expect(await usedEvaluations(service)).toBe(tasks.length);
});

describe("where plans are enforced", () => {
  /** Noon of a 2nd of a month of 30 days, so that 29 days share what the month allows. */
  const start = Date.parse("2026-11-02T12:00:00Z");
  const openedAt = Date.now();
  const clock: Clock = { now: () => start + Date.now() - openedAt };
  const day = yesterday(start);
  const pinPlan = async (plan: string) => {
    const { body } = await service.api.call<{ org_id: string }>("GET", "/v1/whoami");
    await service.api.call("PUT", `/v1/admin/orgs/${body.org_id}/plan-override`, { body: { plan } });
  };

  test("the free plan has no judge, and says so", async () => {
    await open({ settings: { enforcePlanLimits: true }, clock });
    const experiment = await judgedExperiment(service, "free");
    await sendCalls(service, experiment, { users: 20, day });
    await runNight(service, day);
    expect(service.judge.counts().requests).toBe(0);
    expect(await listJudgements(service, experiment)).toEqual([]);
    const judges = await readJudges(service);
    expect(judges.lock).toMatch(/larger/);
    expect(judges.items[0]?.state).toBe("locked");
    await pinPlan("pro");
    await service.api.restart();
    await expect.poll(usedEvaluations.bind(null, service)).toBeGreaterThanOrEqual(20);
  });

  test.runIf(isNight())("a day gets its share of the month's allowance", async () => {
    await open({ settings: { enforcePlanLimits: true }, clock });
    await pinPlan("pro");
    const experiment = await judgedExperiment(service, "spread");
    await sendCalls(service, experiment, { users: 2_000, day });
    await runNight(service, day);
    const judgements = await listJudgements(service, experiment);
    const share = Math.floor(50_000 / 29);
    const { control = 0, treatment = 0 } = countBy(judgements.filter(isFirst), ({ variant }) => variant);
    expect(control + treatment).toBe(Math.floor(share / 1.03));
    expect(Math.abs(control - treatment)).toBeLessThanOrEqual(1);
    expect(await usedEvaluations(service)).toBe(judgements.length);
    expect(judgements.length).toBeLessThanOrEqual(share);
  });
});

test("another model of the judge starts a new version of the metric, on the record", async () => {
  await open({ model: "unknown-model" });
  const experiment = await judgedExperiment(service, "changed");
  // Due at any time of today, unlike yesterday.
  const day = addDays(yesterday(), -1);
  await sendCalls(service, experiment, { users: 20, day });
  await runNight(service, day);
  expect((await readJudges(service)).fault?.detail).toMatch(/ASSAY_JUDGE_MODEL/);
  service.useModel(null);
  await service.api.restart();
  await expect.poll(() => usedEvaluations(service)).toBeGreaterThanOrEqual(20);
  await untilJudged();
  const judgements = await listJudgements(service, experiment);
  const byVersion = countBy(
    judgements.filter(isFirst),
    (one) => `${one.metric_version} ${one.cause ?? one.state}`,
  );
  expect(byVersion).toEqual({ "1 superseded": 20, "2 scored": 20 });
  const { body: audit } = await service.api.call<{
    items: { action: string; actor: object; summary: string }[];
  }>("GET", `/v1/audit?target_id=${experiment.id}`);
  expect(audit.items[0]).toMatchObject({
    action: "experiment.judge-change",
    actor: { id: "system" },
    summary: expect.stringMatching(/"judge-1".*"right".*version 2/),
  });
});

test.runIf(isNight())(
  "the first calls of a day are judged before it is over, count when the day's draw takes them, and are not judged again",
  async () => {
    let later = 0;
    await open({ clock: { now: () => Date.now() + later } });
    const experiment = await judgedExperiment(service, "early", { sample_rate: 0.5 });
    const today = addDays(yesterday(), 1);
    await sendCalls(service, experiment, { users: 30, day: today });
    const scored = async () =>
      (await listJudgements(service, experiment)).filter(({ state }) => state === "scored");
    // Half a minute on two idle cores; a busy machine gets four times as long.
    await expect.poll(async () => (await scored()).length, { timeout: 120_000, interval: 500 }).toBe(16);
    // What is judged early depends on what came first: it has no probability yet.
    expect(new Set((await scored()).map(({ probability }) => probability))).toEqual(new Set([0]));
    expect((await readJudges(service)).items).toMatchObject([
      { arms: { control: { scored: 8 }, treatment: { scored: 8 } } },
    ]);
    const early = new Set((await scored()).map(({ event_id: id }) => id));

    later = DAY_MS;
    await sendCalls(service, experiment, { users: 90, day: today });
    await runNight(service, today);
    const judgements = await listJudgements(service, experiment);
    const drawn = judgements.filter((one) => isFirst(one) && one.probability > 0);
    expect(drawn).toHaveLength(46);
    expect(new Set(drawn.map(({ probability }) => probability))).toEqual(new Set([23 / 45]));
    expect(drawn.some(({ event_id: id }) => early.has(id))).toBe(true);
    expect(drawn.some(({ event_id: id }) => !early.has(id))).toBe(true);
    expect(service.judge.counts().charged).toBe(judgements.length);
  },
  240_000,
);
