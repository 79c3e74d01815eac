import { expect, test } from "vitest";
import { DomainError, invalidBody, isStorageUnavailable, toRetrySeconds } from "./problem.ts";

test("a body's first fault is the detail, and all faults are kept", () => {
  const faults = [
    { pointer: "/name", detail: "is required." },
    { pointer: "/salt", detail: "is required." },
  ];
  const error = invalidBody(faults);
  expect(error.kind).toBe("invalid-body");
  expect(error.message).toBe("/name: is required.");
  expect(error.faults).toEqual(faults);
});

test("a fault of the whole body, or no fault at all, still reads as a sentence", () => {
  expect(invalidBody([{ pointer: "", detail: "is empty." }]).message).toBe("The body: is empty.");
  expect(invalidBody([]).message).toBe("The body is not valid.");
});

test("gives the seconds after which a retry makes sense", () => {
  expect(new DomainError("queue-full", "Full.", { retryAfterSeconds: 2 }).retryAfterSeconds).toBe(2);
  expect(new DomainError("queue-full", "Full.").retryAfterSeconds).toBeNull();
});

test("names the reached limit and when it has room again", () => {
  const limit = { policy: "monthly-events", quota: 50_000, windowSeconds: 60 };
  const more = { limit, retryAfterSeconds: 2 };
  expect(new DomainError("rate-limited", "Slower.", more).limit).toEqual({ ...limit, resetSeconds: 2 });
  expect(new DomainError("rate-limited", "Slower.", { ...more, resetSeconds: 9 }).limit?.resetSeconds).toBe(
    9,
  );
  expect(new DomainError("rate-limited", "Slower.", { limit }).limit?.resetSeconds).toBe(0);
});

test.each([
  {
    name: "an engine that does not answer",
    error: new DomainError("storage-unavailable", "Away."),
    is: true,
  },
  { name: "another broken rule", error: new DomainError("queue-full", "Full."), is: false },
  { name: "a bug", error: new Error("storage-unavailable"), is: false },
])("says whether $name is a missing engine", ({ error, is }) => expect(isStorageUnavailable(error)).toBe(is));

test.each([
  [0, 1],
  [1_000, 1],
  [1_001, 2],
])("a wait of %d ms is %d s of Retry-After", (waitMs, seconds) => {
  expect(toRetrySeconds(waitMs)).toBe(seconds);
});
