import { expect, test } from "vitest";
import { judgementIdempotencyKey } from "./idempotency-key.ts";

const task = {
  orgId: "o",
  experimentId: "x",
  metric: "tone",
  metricVersion: 1,
  judgeVersion: "m@1",
  eventId: "日本",
  isRepeat: false,
  drawnAt: 7,
};

test("is the same for the same judgement, and different for any other", () => {
  const others = [
    { orgId: "p" },
    { experimentId: "y" },
    { metric: "ton" },
    { metricVersion: 2 },
    { judgeVersion: "m@2" },
    { eventId: "e" },
    { isRepeat: true },
    { drawnAt: 8 },
  ];
  const keys = [{}, ...others].map((other) => judgementIdempotencyKey({ ...task, ...other }, 0));
  expect(new Set(keys).size).toBe(9);
  expect(judgementIdempotencyKey({ ...task }, 0)).toBe(keys[0]);
  expect(judgementIdempotencyKey(task, 1)).not.toBe(keys[0]);
});

test("is a valid header value whatever the ids are", () => {
  expect(judgementIdempotencyKey(task, 0)).toMatch(/^assay-[0-9a-f]{32}$/);
});
