import { expect, test } from "vitest";
import { createImportSlots } from "./import-slots.ts";

const never = new AbortController().signal;

/** Whether a promise is settled once everything that can run has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  await new Promise(setImmediate);
  return settled;
}

test("as many run as there are slots; the others follow in the order they came", async () => {
  const slots = createImportSlots(2, 2);
  const leaveFirst = await slots.take(never);
  const leaveSecond = await slots.take(never);
  const third = slots.take(never);
  const fourth = slots.take(never);
  expect(await isSettled(third)).toBe(false);
  leaveSecond();
  expect([await isSettled(third), await isSettled(fourth)]).toEqual([true, false]);
  leaveFirst();
  const leaveFourth = await fourth;
  (await third)();
  leaveFourth();
  expect(await isSettled(slots.take(never))).toBe(true);
});

test("a full line refuses with the time to come back", async () => {
  const slots = createImportSlots(1, 1);
  await slots.take(never);
  slots.take(never);
  await expect(slots.take(never)).rejects.toMatchObject({ kind: "rate-limited", retryAfterSeconds: 30 });
});

test("one that goes away leaves the line, and its place", async () => {
  const slots = createImportSlots(1, 1);
  const leave = await slots.take(never);
  const gone = new AbortController();
  const waiting = slots.take(gone.signal);
  gone.abort(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
  const next = slots.take(never);
  leave();
  expect(await isSettled(next)).toBe(true);
  await expect(slots.take(gone.signal)).rejects.toThrow("gone");
});
