import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ScriptedServer } from "../../../scenario-server/scripted-server.ts";
import { makeLoadedClient } from "../../test-support/client-fixture.ts";
import { ManualSchedule } from "../../test-support/manual-schedule.ts";
import { RecordedLog } from "../../test-support/recorded-log.ts";
import { sampleConfig } from "../../test-support/sample-config.ts";
import { createClientLog } from "../client-log.ts";
import { createTransport, type Fetch } from "../transport.ts";
import { openLongPoll } from "./asked.ts";

// When it asks, and what it does with the answers, is in vectors/config-poll.json.

const WAIT = "/v1/config?wait=30";

let server: ScriptedServer;
beforeEach(async () => {
  server = await ScriptedServer.start();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.stop();
});

function settings(longPoll?: boolean) {
  const schedule = new ManualSchedule();
  const dates: (readonly [number, string | null])[] = [];
  const given = {
    longPoll,
    random: () => 0.5,
    apiKey: "svc_pk_1",
    baseUrl: server.url,
    fetch,
    schedule: schedule.run,
    log: createClientLog(new RecordedLog(), schedule.run),
    life: new AbortController().signal,
    noteDate: (sentAt: number, date: string | null) => void dates.push([sentAt, date]),
  };
  return { given: { ...given, transport: createTransport(given) }, schedule, dates };
}

test.each([undefined, false])("is off when the option is %s", (longPoll) => {
  expect(openLongPoll!(settings(longPoll).given)).toBeNull();
});

test("what JavaScript may give for true is off", () => {
  expect(openLongPoll!(settings("true" as unknown as boolean).given)).toBeNull();
});

test("the time of a wait does not count as the way of the answer's Date", async () => {
  let now = Date.UTC(2026, 6, 6, 12);
  vi.spyOn(Date, "now").mockImplementation(() => now);
  const { given, dates } = settings(true);
  const date = "Mon, 06 Jul 2026 12:00:30 GMT";
  server.script(WAIT, { status: 304, headers: { date } });
  const fetchLater: Fetch = async (url, init) => {
    const response = await fetch(url, init);
    now += 30_000;
    return response;
  };
  const longPoll = openLongPoll!({ ...given, fetch: fetchLater });
  await longPoll!.transport({ etag: '"1"' });
  expect(dates).toEqual([[Date.UTC(2026, 6, 6, 12, 0, 30), date]]);
});

test("the time limit of a request that waits is longer by the wait", async () => {
  const { given, schedule } = settings(true);
  server.script(WAIT, "hang");
  void openLongPoll!(given)!.transport({ etag: '"1"' });
  await server.received(WAIT, 1);
  expect(schedule.pending.map(({ delayMs, holdsProcess }) => [delayMs, holdsProcess])).toEqual([
    [40_000, false],
  ]);
  schedule.pending[0]!.fire();
});

test("a client without the option does not wait", async () => {
  server.script("/v1/config", { status: 200, headers: { etag: '"1"' }, body: sampleConfig() });
  const { client, schedule } = await makeLoadedClient(server);
  (await schedule.task((delayMs) => delayMs > 50_000 && delayMs < 70_000)).fire();
  await server.received("/v1/config", 2);
  expect(server.requests.map(({ path }) => path)).toEqual(["/v1/config", "/v1/config"]);
  await client.close();
});
