import { type admin, type billing, operation, org } from "@assay/contract";
import { Type } from "typebox";
import { expect, test } from "vitest";
import type { defineRoute } from "./define-route.ts";

/** Whether the compiler takes a handler of the operation that returns this. */
type Returns<O extends Parameters<typeof defineRoute>[0], T> = (() => Promise<T>) extends Parameters<
  typeof defineRoute<O>
>[1]
  ? true
  : false;

type Url = typeof billing.postPortalSession;
type Letters = typeof admin.listDeadLetters;
type Letter = {
  readonly id: string;
  readonly orgId: string;
  readonly receivedAt: number;
  readonly buriedAt: number;
  readonly reason: string;
  readonly bytes: number;
};

test("an answer that is misspelt, incomplete or of another type does not compile", () => {
  const taken: readonly true[] = [
    true satisfies Returns<Url, { url: string }>,
    true satisfies Returns<Letters, { count: number; items: readonly Letter[] }>,
    true satisfies Returns<typeof org.listKeys, readonly []>,
  ];
  const refused: readonly false[] = [
    false satisfies Returns<Url, { ulr: string }>,
    false satisfies Returns<Url, { url: string | null }>,
    false satisfies Returns<Url, void>,
    false satisfies Returns<Letters, { count: number }>,
    false satisfies Returns<Letters, { count: number; items: readonly Omit<Letter, "buriedAt">[] }>,
    false satisfies Returns<
      Letters,
      { count: number; items: readonly (Omit<Letter, "reason"> & { reason: null })[] }
    >,
    false satisfies Returns<
      Letters,
      { count: number; items: readonly (Omit<Letter, "buriedAt"> & { buriedAt: string })[] }
    >,
  ];
  expect([taken.length, refused.length]).toEqual([3, 7]);
});

test("an operation whose answer has no body takes a handler that returns nothing", () => {
  type Removed = typeof removed;
  const removed = operation({ ...org.revealKey, answers: { 204: { description: "Gone." } } });
  const verdicts: readonly [true, false] = [
    true satisfies Returns<Removed, void>,
    false satisfies Returns<Removed, { key: string }>,
  ];
  expect(verdicts).toEqual([true, false]);
});

test("an operation with two answers for success takes a handler that returns either", () => {
  type Two = typeof two;
  const answers = {
    200: { description: "Old.", schema: Type.Object({ old: Type.String() }) },
    201: { description: "New.", schema: Type.Object({ new: Type.String() }) },
  };
  const two = operation({ ...org.revealKey, answers });
  const verdicts: readonly [true, true, false] = [
    true satisfies Returns<Two, { old: string }>,
    true satisfies Returns<Two, { new: string }>,
    false satisfies Returns<Two, { other: string }>,
  ];
  expect(verdicts).toEqual([true, true, false]);
});
