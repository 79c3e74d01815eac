import { afterAll, afterEach, expect, test, vi } from "vitest";
import { type Reply, ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { expectLog, type LoggedLine } from "../test-support/expect-log.ts";
import { readVectors } from "../test-support/read-vectors.ts";
import { API_KEY, ScenarioRun } from "../test-support/scenario-run.ts";
import { VirtualSchedule } from "../test-support/virtual-schedule.ts";

interface PollCase {
  readonly name: string;
  readonly random: number;
  readonly replies: readonly Reply[];
  readonly long_poll?: true;
  readonly waits?: readonly Reply[];
  readonly acks: readonly { readonly at_ms: number; readonly config_version: number }[];
  readonly requests: readonly {
    readonly at_ms: number;
    readonly if_none_match: string | null;
    readonly wait_seconds?: number;
  }[];
  readonly checks: readonly {
    readonly at_ms: number;
    readonly experiment: string;
    readonly variant: string | null;
  }[];
  readonly ready?: { readonly timeout_ms: number; readonly result: boolean; readonly answered_at_ms: number };
  readonly log: readonly LoggedLine[];
  readonly run_ms: number;
}

const START = Date.UTC(2026, 6, 6, 12);
const CONFIG = "/v1/config";
const WAIT = `${CONFIG}?wait=30`;
const EVENTS = "/v1/events";
const { cases } = readVectors<{ cases: readonly PollCase[] }>("config-poll");

const server = await ScriptedServer.start();
afterAll(() => server.stop());
afterEach(() => vi.restoreAllMocks());

const ack = (config_version: number): Reply => ({
  status: 202,
  body: { accepted: 1, config_version, rejected: [] },
});

/** Plays the case; returns the run, what the checks found, and when `ready` resolved to what. */
async function play({ random, replies, long_poll, waits = [], acks, checks, ready, run_ms }: PollCase) {
  vi.spyOn(Math, "random").mockReturnValue(random);
  const schedule = new VirtualSchedule();
  vi.spyOn(Date, "now").mockImplementation(() => START + schedule.nowMs);
  const script = {
    [CONFIG]: replies,
    [WAIT]: waits,
    [EVENTS]: acks.map(({ config_version }) => ack(config_version)),
  };
  const run = new ScenarioRun(server, script, { trackExposures: false, longPoll: long_poll }, schedule);
  const { client } = run;
  const readiness: unknown[] = [];
  if (ready) {
    const note = (result: boolean) => readiness.push({ result, answered_at_ms: schedule.nowMs });
    void client.ready(ready.timeout_ms).then(note);
  }
  for (const { at_ms } of acks) {
    schedule.run(at_ms, () => {
      client.track("business_event", { experiment_id: "x", user_id: "u", business_metric: "m" });
      void client.flush();
    });
  }
  const found: (string | null)[] = [];
  for (const [index, { at_ms, experiment }] of checks.entries()) {
    schedule.run(at_ms, () => {
      found[index] = client.assign(experiment, "u");
    });
  }
  await run.runUntil(run_ms);
  return { run, found, readiness };
}

test.each(cases)("config-poll.json: $name", async (vector) => {
  const { run, found, readiness } = await play(vector);
  const polls = server.requests.filter(({ path }) => path !== EVENTS);
  expect(polls.map(({ method, path }) => `${method} ${path}`)).toEqual(
    vector.requests.map(({ wait_seconds: wait }) => `GET ${CONFIG}${wait ? `?wait=${wait}` : ""}`),
  );
  expect(run.sent.filter(({ path }) => path !== EVENTS).map(({ atMs }) => atMs)).toEqual(
    vector.requests.map(({ at_ms }) => expect.closeTo(at_ms, 0)),
  );
  expect(polls.map(({ headers }) => headers["if-none-match"] ?? null)).toEqual(
    vector.requests.map(({ if_none_match }) => if_none_match),
  );
  expect(polls.every(({ headers }) => headers["x-api-key"] === API_KEY)).toBe(true);
  expect(server.at(EVENTS)).toHaveLength(vector.acks.length);
  expect(found).toEqual(vector.checks.map(({ variant }) => variant));
  const { ready } = vector;
  expect(readiness).toEqual(ready ? [{ result: ready.result, answered_at_ms: ready.answered_at_ms }] : []);
  expectLog(
    run.log.lines.filter((line) => !/assigned null|has no experiment/.test(line)),
    vector.log,
  );
});
