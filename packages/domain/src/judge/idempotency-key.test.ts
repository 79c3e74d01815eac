import { expect, test } from "vitest";
import type { Rehearsal } from "../ports/rehearsals.ts";
import { judgementIdempotencyKey, rehearsalIdempotencyKey } from "./idempotency-key.ts";

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

test("of a rehearsal's request is the same after a crash, and different for any other", () => {
  const request = (place: number, step: number, id = "r") =>
    ({ rehearsal: { orgId: "o", id } as Rehearsal, place, step }) as const;
  const keys = [
    rehearsalIdempotencyKey(request(1, 2), 0),
    rehearsalIdempotencyKey(request(1, 2), 1),
    rehearsalIdempotencyKey(request(2, 1), 0),
    rehearsalIdempotencyKey(request(1, 2, "s"), 0),
  ];
  expect(new Set(keys).size).toBe(4);
  expect(rehearsalIdempotencyKey(request(1, 2), 0)).toBe(keys[0]);
});
