import { DAY_MS, type FirstExposure, runSeed } from "@assay/domain";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scored } from "../test-support/judged.ts";
import { until } from "../test-support/runs.ts";
import { judgedUsers } from "./judged-users.ts";

const at = until - 2 * DAY_MS;
const exposed = (userId: string, change: Partial<FirstExposure> = {}): FirstExposure => ({
  userId,
  arm: "control",
  period: 0,
  at,
  isContaminated: false,
  ...change,
});
const call = (userId: string, occurredAt = at + 1) => scored({ userId, occurredAt });
const open = { windowDays: null, until };

describe("judged users", () => {
  test.each([
    { what: "a call at the instant of the exposure", user: "u", exposure: {}, occurredAt: at, counts: 1 },
    { what: "a call before the exposure", user: "u", exposure: {}, occurredAt: at - 1, counts: 0 },
    { what: "a call of a test user", user: "svc-test-1", exposure: {}, occurredAt: at, counts: 0 },
    {
      what: "a call of a user of several arms",
      user: "u",
      exposure: { isContaminated: true },
      occurredAt: at,
      counts: 0,
    },
    {
      what: "a call drawn under another arm",
      user: "u",
      exposure: { arm: "b" },
      occurredAt: at,
      counts: 0,
    },
  ])("count $what: $counts", ({ user, exposure, occurredAt, counts }) => {
    expect(judgedUsers([call(user, occurredAt)], [exposed(user, exposure)], open)).toHaveLength(counts);
  });

  test("leave out users who were never exposed", () => {
    expect(judgedUsers([call("u")], [exposed("other")], open)).toEqual([]);
  });

  test.each([
    { windowDays: 1, occurredAt: at + DAY_MS - 1, counts: 1 },
    { windowDays: 1, occurredAt: at + DAY_MS, counts: 0 },
    { windowDays: 2, occurredAt: at + DAY_MS, counts: 1 },
    { windowDays: 3, occurredAt: at, counts: 0 },
  ])(
    "of a window of $windowDays days that began two days ago count $counts",
    ({ windowDays, occurredAt, counts }) => {
      expect(judgedUsers([call("u", occurredAt)], [exposed("u")], { windowDays, until })).toHaveLength(
        counts,
      );
    },
  );

  test("with equal hashes are ordered by id", () => {
    const ids = ["user-226846", "user-36153"];
    expect(runSeed(ids[0]!)).toBe(runSeed(ids[1]!));
    const exposures = ids.map((id) => exposed(id));
    for (const order of [exposures, exposures.toReversed()]) {
      const users = judgedUsers(
        ids.map((id) => call(id)),
        order,
        open,
      );
      expect(users.map(({ userId }) => userId)).toEqual(ids);
    }
  });

  test("have the same order for any order of their exposures", () => {
    const ids = ["a", "b", "c", "d", "e", "f"];
    const calls = ids.map((id) => call(id));
    const sorted = judgedUsers(
      calls,
      ids.map((id) => exposed(id)),
      open,
    );
    fc.assert(
      fc.property(fc.shuffledSubarray(ids, { minLength: ids.length }), (shuffled) => {
        const users = judgedUsers(
          calls,
          shuffled.map((id) => exposed(id)),
          open,
        );
        expect(users).toEqual(sorted);
      }),
    );
  });
});
