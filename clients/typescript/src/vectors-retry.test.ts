import { afterAll, afterEach, expect, test, vi } from "vitest";
import { type Reply, ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { expectLog, type LoggedLine } from "../test-support/expect-log.ts";
import { readVectors } from "../test-support/read-vectors.ts";
import { API_KEY, ScenarioRun } from "../test-support/scenario-run.ts";

interface RetryCase {
  readonly name: string;
  readonly random: number;
  readonly tracks: readonly {
    readonly at_ms: number;
    readonly count: number;
    readonly filler_bytes?: number;
  }[];
  readonly flushes: readonly {
    readonly at_ms: number;
    readonly timeout_ms: number;
    readonly delivered: boolean;
    readonly answered_at_ms: number;
    readonly rejected?: readonly { readonly detail: string; readonly count: number }[];
  }[];
  readonly replies: readonly Reply[];
  readonly requests: readonly { readonly at_ms: number; readonly first: number; readonly count: number }[];
  readonly log: readonly LoggedLine[];
  readonly run_ms?: number;
}

const EVENTS = "/v1/events";
const NO_EXPERIMENTS: Reply = { status: 200, body: { config_version: 1, experiments: [] } };
const { cases } = readVectors<{ cases: readonly RetryCase[] }>("retry");

const server = await ScriptedServer.start();
afterAll(() => server.stop());
afterEach(() => vi.restoreAllMocks());

/** Plays the case; returns the run and the outcome and time of each flush. */
async function play({ random, tracks, flushes, replies, run_ms = 1_000_000 }: RetryCase) {
  vi.spyOn(Math, "random").mockReturnValue(random);
  const script = { "/v1/config": [NO_EXPERIMENTS], [EVENTS]: replies };
  const run = new ScenarioRun(server, script, { pollIntervalMs: 1e9 });
  const { client, schedule } = run;
  let next = 0;
  for (const { at_ms, count, filler_bytes = 0 } of tracks) {
    schedule.run(at_ms, () => {
      for (let i = 0; i < count; i++) client.track("business_event", event(`e${next++}`, filler_bytes));
    });
  }
  const outcomes: { delivered: boolean; answered_at_ms: number }[] = [];
  for (const [index, { at_ms, timeout_ms, rejected }] of flushes.entries()) {
    schedule.run(at_ms, async () => {
      const told = rejected
        ? await client.flushReport(timeout_ms)
        : { delivered: await client.flush(timeout_ms) };
      outcomes[index] = { ...told, answered_at_ms: schedule.nowMs };
    });
  }
  await run.runUntil(run_ms);
  return { run, outcomes };
}

const event = (event_id: string, fillerBytes: number) => ({
  event_id,
  experiment_id: "x",
  user_id: "u",
  business_metric: "m",
  ...(fillerBytes > 0 && { metadata: { filler: "x".repeat(fillerBytes) } }),
});

test.each(cases)("retry.json: $name", async (vector) => {
  const { run, outcomes } = await play(vector);
  const posts = server.requests.filter(({ path }) => path !== "/v1/config");
  expect(posts.map(({ method, path }) => `${method} ${path}`)).toEqual(
    vector.requests.map(() => `POST ${EVENTS}`),
  );
  expect(idsOf(posts)).toEqual(
    vector.requests.map(({ first, count }) => Array.from({ length: count }, (_, i) => `e${first + i}`)),
  );
  expect(run.sentAtMs(EVENTS)).toEqual(vector.requests.map(({ at_ms }) => expect.closeTo(at_ms, 0)));
  for (const { headers } of posts) {
    expect(headers).toMatchObject({ "x-api-key": API_KEY, "content-type": "application/json" });
  }
  for (const [index, { body }] of posts.entries()) {
    const before = posts[index - 1];
    if (before !== undefined && sameEvents(vector, index)) expect(body).toBe(before.body);
  }
  expect(outcomes).toEqual(
    vector.flushes.map(({ delivered, answered_at_ms, rejected }) => ({
      ...{ delivered, ...(rejected && { rejected }) },
      answered_at_ms: expect.closeTo(answered_at_ms, 0),
    })),
  );
  expectLog(run.log.lines, vector.log);
});

const idsOf = (posts: readonly { readonly body: string }[]) =>
  posts.map(({ body }) => JSON.parse(body).events.map((row: { event_id: unknown }) => row.event_id));

function sameEvents({ requests }: RetryCase, index: number): boolean {
  const [before, request] = [requests[index - 1]!, requests[index]!];
  return before.first === request.first && before.count === request.count;
}
