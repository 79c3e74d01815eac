import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Reply, ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { ManualSchedule } from "../test-support/manual-schedule.ts";
import { RecordedLog } from "../test-support/recorded-log.ts";
import { sampleConfig } from "../test-support/sample-config.ts";
import { createClientLog } from "./client-log.ts";
import { createConfigPoller } from "./config-poller.ts";
import { createTransport } from "./transport.ts";

const CONFIG = "/v1/config";
const config = (version: number): Reply => ({
  status: 200,
  headers: { etag: `"v${version}"` },
  body: sampleConfig(version),
});

let server: ScriptedServer;
beforeEach(async () => {
  server = await ScriptedServer.start();
});
afterEach(() => server.stop());

/** A poller with this jitter; `loaded` lists the versions it loaded. */
function setUp(jitter = 0.5) {
  const schedule = new ManualSchedule();
  const recorded = new RecordedLog();
  const loaded: number[] = [];
  const end = new AbortController();
  const life = end.signal;
  const log = createClientLog(recorded, schedule.run);
  const transport = {
    apiKey: "svc_pk_1",
    baseUrl: server.url,
    fetch,
    schedule: schedule.run,
    log,
    life,
    noteDate() {},
  };
  const poller = createConfigPoller({
    ...transport,
    transport: createTransport(transport),
    random: () => jitter,
    pollIntervalMs: 60_000,
    bootstrap: undefined,
    kept: { load: () => null, noteFailure() {}, save() {} },
    onLoad: () => {
      const version = poller.snapshot?.version ?? 0;
      if (version !== loaded.at(-1)) loaded.push(version);
    },
  });
  poller.wake();
  return { poller, schedule, end, loaded, lines: recorded.lines };
}

test("polls with the ETag of the last config; 304 keeps it", async () => {
  server.script(CONFIG, config(1), { status: 304 }, config(2), { status: 304 });
  const { poller, schedule, loaded } = setUp();
  for (let poll = 0; poll < 3; poll++) await schedule.fire(60_000);
  await server.received(CONFIG, 4);
  expect(server.requests.map(({ headers }) => headers["if-none-match"])).toEqual([
    undefined,
    '"v1"',
    '"v1"',
    '"v2"',
  ]);
  expect(
    server.requests.every(({ method, headers }) => method === "GET" && headers["x-api-key"] === "svc_pk_1"),
  ).toBe(true);
  expect(loaded).toEqual([1, 2]);
  expect(poller.snapshot?.version).toBe(2);
});

test.each([
  { jitter: 0, delayMs: 54_000 },
  { jitter: 0.5, delayMs: 60_000 },
  { jitter: 1, delayMs: 66_000 },
])("spreads polls by 10% (jitter $jitter)", async ({ jitter, delayMs }) => {
  server.script(CONFIG, config(1));
  const task = await setUp(jitter).schedule.task((delay) => delay > 50_000 && delay < 70_000);
  expect(task.delayMs).toBeCloseTo(delayMs, 6);
  expect(task.holdsProcess).toBe(false);
});

describe("a failure", () => {
  test.each<{ name: string; reply: Reply }>([
    { name: "500", reply: { status: 500 } },
    { name: "a reset", reply: "reset" },
    { name: "a body that is no config", reply: { status: 200, body: { hello: 1 } } },
    { name: "401", reply: { status: 401 } },
  ])("$name keeps the last config", async ({ reply }) => {
    server.script(CONFIG, config(1), reply);
    const { poller, schedule, lines } = setUp();
    await schedule.fire(60_000);
    await expect.poll(() => lines.length).toBe(1);
    expect(poller.snapshot?.version).toBe(1);
    // The next poll is planned regardless, after 1 or 5 minutes.
    await schedule.task((delayMs) => delayMs === 60_000 || delayMs === 300_000);
  });

  test("before the first config is retried soon, later and later", async () => {
    server.script(CONFIG, { status: 500 }, "reset", { status: 304 }, config(3));
    const { poller, schedule } = setUp();
    for (const delayMs of [500, 1_000, 2_000]) await schedule.fire(delayMs);
    await expect.poll(() => poller.snapshot?.version).toBe(3);
  });

  test("waits for a Retry-After that is longer than a minute", async () => {
    server.script(CONFIG, config(1), { status: 503, headers: { "retry-after": "200" } });
    const { schedule } = setUp();
    await schedule.fire(60_000);
    await schedule.task((delayMs) => delayMs === 200_000);
  });

  test("of the key is one error, asked again in 5 minutes", async () => {
    server.script(CONFIG, { status: 401 }, { status: 401 }, config(1));
    const { poller, schedule, lines } = setUp();
    await schedule.fire(300_000);
    await schedule.fire(300_000);
    await expect.poll(() => poller.snapshot?.version).toBe(1);
    expect(lines).toEqual(["error [assay] API key refused: status 401"]);
  });
});

describe("an acknowledged version", () => {
  async function loadedOnce() {
    server.script(CONFIG, config(5), config(6));
    const parts = setUp();
    await parts.schedule.task((delayMs) => delayMs === 60_000);
    return parts;
  }

  test("that is newer brings one poll forward, to 0 to 2 s from now", async () => {
    const { poller, schedule, loaded } = await loadedOnce();
    poller.noteVersion(6);
    const [refresh] = schedule.pending;
    for (let ack = 0; ack < 10; ack++) poller.noteVersion(7);
    expect(schedule.delays).toEqual([1_000]);
    expect(schedule.pending[0]).toBe(refresh); // otherwise a busy client would delay it forever
    await schedule.fire(1_000);
    await schedule.task((delayMs) => delayMs === 60_000);
    expect(loaded).toEqual([5, 6]);
    poller.noteVersion(6);
    expect(schedule.delays).toEqual([60_000]);
  });

  test.each([4, 5, Number.NaN])("of %d changes nothing", async (version) => {
    const { poller, schedule } = await loadedOnce();
    poller.noteVersion(version);
    expect(schedule.delays).toEqual([60_000]);
  });

  test("during a load changes nothing", async () => {
    const { poller, schedule } = await loadedOnce();
    await schedule.fire(60_000);
    poller.noteVersion(6);
    expect(schedule.delays).toEqual([10_000]); // the time limit of the open request
  });
});

test("the end of the client's life ends polling, even in the middle of a request", async () => {
  server.script(CONFIG, config(1), "hang");
  const { poller, schedule, end, loaded } = setUp();
  await schedule.fire(60_000);
  await server.received(CONFIG, 2);
  end.abort();
  poller.stop();
  poller.noteVersion(9);
  await expect.poll(() => schedule.delays).toEqual([]);
  expect(loaded).toEqual([1]);
});
