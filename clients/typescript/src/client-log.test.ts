import { expect, test } from "vitest";
import { ManualSchedule } from "../test-support/manual-schedule.ts";
import { RecordedLog } from "../test-support/recorded-log.ts";
import { createClientLog } from "./client-log.ts";

function setUp() {
  const schedule = new ManualSchedule();
  const recorded = new RecordedLog();
  return { schedule, lines: recorded.lines, log: createClientLog(recorded, schedule.run) };
}

test("once logs a message once", () => {
  const { log, lines } = setUp();
  log.sayOnce("error", "refused");
  log.sayOnce("error", "refused");
  log.sayOnce("warn", "closed");
  expect(lines).toEqual(["error [assay] refused", "warn [assay] closed"]);
});

test("count logs at once, then at most once a minute", async () => {
  const { log, lines, schedule } = setUp();
  for (let i = 0; i < 5; i++) log.count("dropped");
  expect(lines).toEqual(["warn [assay] dropped: 1"]);
  await schedule.fire(60_000);
  expect(lines).toEqual(["warn [assay] dropped: 1", "warn [assay] dropped: 4"]);
  await schedule.fire(60_000);
  expect([lines.length, schedule.pending.length]).toEqual([2, 0]);
  log.count("dropped", 7);
  expect(lines.at(-1)).toBe("warn [assay] dropped: 7");
});

test("count separates reasons, shortens long ones and limits their number", () => {
  const { log, lines } = setUp();
  for (let i = 0; i < 200; i++) log.count(`${i} ${"x".repeat(1_000)}`);
  expect(lines).toHaveLength(51);
  expect(lines.at(-1)).toBe("warn [assay] other reasons: 1");
  expect(lines[0]!.length).toBeLessThan(230);
});

test("close logs the remaining counts", () => {
  const { log, lines, schedule } = setUp();
  log.count("dropped");
  log.count("dropped", 2);
  log.close();
  expect(lines).toEqual(["warn [assay] dropped: 1", "warn [assay] dropped: 2"]);
  expect(schedule.pending).toEqual([]);
});

test("a log that throws is tolerated", () => {
  const fail = () => {
    throw new Error("disk full");
  };
  const log = createClientLog({ warn: fail, error: fail }, new ManualSchedule().run);
  expect(() => log.sayOnce("error", "a")).not.toThrow();
  expect(() => log.count("b")).not.toThrow();
});
