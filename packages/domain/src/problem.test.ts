import { expect, test } from "vitest";
import { DomainError, invalidBody } from "./problem.ts";

test("a body's first fault is its detail, and all are kept", () => {
  const faults = [
    { pointer: "/name", detail: "is required." },
    { pointer: "/salt", detail: "is required." },
  ];
  const error = invalidBody(faults);
  expect(error.kind).toBe("invalid-body");
  expect(error.message).toBe("/name: is required.");
  expect(error.faults).toEqual(faults);
});

test("a fault of the whole body, or none at all, still reads as a sentence", () => {
  expect(invalidBody([{ pointer: "", detail: "is empty." }]).message).toBe("The body: is empty.");
  expect(invalidBody([]).message).toBe("The body is not valid.");
});

test("says after how many seconds trying again makes sense", () => {
  expect(new DomainError("queue-full", "Full.", { retryAfterSeconds: 2 }).retryAfterSeconds).toBe(2);
  expect(new DomainError("queue-full", "Full.").retryAfterSeconds).toBeNull();
});

test("tells which limit was reached, and when it has room again", () => {
  const limit = { policy: "monthly-events", quota: 50_000, windowSeconds: 60 };
  const more = { limit, retryAfterSeconds: 2 };
  expect(new DomainError("rate-limited", "Slower.", more).limit).toEqual({ ...limit, resetSeconds: 2 });
  expect(new DomainError("rate-limited", "Slower.", { ...more, resetSeconds: 9 }).limit?.resetSeconds).toBe(
    9,
  );
  expect(new DomainError("rate-limited", "Slower.", { limit }).limit?.resetSeconds).toBe(0);
});
