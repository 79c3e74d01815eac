import { dayOf, parseDay } from "@assay/domain";
import { expect, test } from "vitest";
import { findRecording } from "./demo-recordings.ts";
import { DEMO_DAYS, demoDays, demoOutcomes, demoUsers } from "./demo-traffic.ts";

const firstDay = parseDay("2026-02-20")!;
const users = demoUsers(firstDay);

test("805 users arrive in order, fewer each day", () => {
  expect(new Set(users.map(({ id }) => id)).size).toBe(805);
  expect(users.every(({ at }, index) => index === 0 || at > users[index - 1]!.at)).toBe(true);
  const byDay = Map.groupBy(users, ({ at }) => dayOf(at));
  expect([...byDay.keys()]).toEqual(demoDays(firstDay));
  expect(byDay.size).toBe(DEMO_DAYS);
  const sizes = [...byDay.values()].map(({ length }) => length);
  expect(sizes[0]).toBeGreaterThan(200);
  expect(sizes.every((size, day) => size > 20 && (day === 0 || size <= sizes[day - 1]! + 1))).toBe(true);
});

test("what becomes of a user are the figures of that item under the variant", () => {
  const outcomes = demoOutcomes(users[0]!, "verbose");
  expect(outcomes.map(({ type }) => type)).toEqual(["model_call", "business_event"]);
  expect(outcomes.map(({ fields }) => fields.output_tokens ?? fields.value)).toEqual([243, 972]);
  expect(findRecording(String(outcomes[0]?.fields.response))).toMatchObject({
    characters: 972,
    preference: 2e-6,
  });
});

test.each([null, "other"])("a variant that the data does not know is refused: %s", (variant) => {
  expect(() => demoOutcomes(users[0]!, variant)).toThrow(/user-000 has variant/);
});
