import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { expect, test } from "vitest";
import { logCurrentWork, runAs } from "./current-work.ts";

function openLog() {
  const lines: Record<string, unknown>[] = [];
  const sink = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { log: logCurrentWork(pino({ base: null, timestamp: false }, sink)), lines };
}

test("lines tell the request or the task that they belong to, also after a pause and from a part's own logger", async () => {
  const { log, lines } = openLog();
  const part = log.child({ part: "judge" });
  await Promise.all([
    runAs({ requestId: "r1" }, async () => {
      await sleep(1);
      log.info({ found: 1 }, "one");
    }),
    runAs({ task: "nightly" }, async () => {
      await sleep(2);
      part.warn("two");
    }),
  ]);
  log.info("three");
  expect(lines).toEqual([
    { level: 30, requestId: "r1", found: 1, msg: "one" },
    { level: 40, part: "judge", task: "nightly", msg: "two" },
    { level: 30, msg: "three" },
  ]);
});

test("a line's own fields take precedence over those of its context", () => {
  const { log, lines } = openLog();
  runAs({ requestId: "r1" }, () => log.info({ requestId: "own" }, "one"));
  expect(lines).toEqual([{ level: 30, requestId: "own", msg: "one" }]);
});
