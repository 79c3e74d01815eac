import type { DemoName } from "@assay/contract";
import { dayOf, parseDay } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { findRecording } from "./demo-recordings.ts";
import { DEMO_DAYS, demoDays } from "./demo-traffic.ts";
import { DEMOS } from "./demos.ts";

const firstDay = parseDay("2026-02-20")!;

describe.each<[DemoName, number]>([
  ["answer-style", 805],
  ["support-tone", 900],
])("the traffic of %s", (name, count) => {
  const demo = DEMOS[name];
  const users = demo.users(firstDay);

  test("its users arrive in order, fewer each day", () => {
    expect(new Set(users.map(({ id }) => id)).size).toBe(count);
    expect(users.every(({ at }, index) => index === 0 || at > users[index - 1]!.at)).toBe(true);
    const byDay = Map.groupBy(users, ({ at }) => dayOf(at));
    expect([...byDay.keys()]).toEqual(demoDays(firstDay));
    expect(byDay.size).toBe(DEMO_DAYS);
    const sizes = [...byDay.values()].map(({ length }) => length);
    expect(sizes[0]).toBeGreaterThan(200);
    expect(sizes.every((size, day) => size > 20 && (day === 0 || size <= sizes[day - 1]! + 1))).toBe(true);
  });

  test("what happens to a user is the same every time, stays within the days, and has keys of its own", () => {
    const days = new Set(demoDays(firstDay));
    for (const user of users)
      for (const { variant } of demo.experiment.allocation) {
        const outcomes = demo.outcomes(user, variant);
        expect(demo.outcomes(user, variant)).toEqual(outcomes);
        expect(new Set(outcomes.map(({ key }) => key)).size).toBe(outcomes.length);
        expect(outcomes.every(({ afterMs }) => days.has(dayOf(user.at + afterMs)))).toBe(true);
      }
  });

  test("its judge and its readers score every answer and no other text", () => {
    for (const user of users.slice(0, 100))
      for (const { type, fields } of demo.outcomes(user, demo.experiment.control!)) {
        if (type !== "model_call") continue;
        expect(demo.judge(String(fields.response))).toEqual({
          score: expect.any(Number),
          reason: expect.any(String),
        });
        expect(demo.label(String(fields.response))).toEqual(expect.any(Number));
      }
    expect([demo.judge("an answer"), demo.label("an answer")]).toEqual([null, null]);
  });

  test.each([null, "other"])("a variant that the data does not know is refused: %s", (variant) => {
    expect(() => demo.outcomes(users[0]!, variant)).toThrow(/-000 has variant/);
  });
});

test("what becomes of a user of answer-style are the figures of that item under the variant", () => {
  const demo = DEMOS["answer-style"];
  const outcomes = demo.outcomes(demo.users(firstDay)[0]!, "verbose");
  expect(outcomes.map(({ type }) => type)).toEqual(["model_call", "business_event"]);
  expect(outcomes.map(({ fields }) => fields.output_tokens ?? fields.value)).toEqual([243, 972]);
  expect(findRecording(String(outcomes[0]?.fields.response))).toMatchObject({
    characters: 972,
    preference: 2e-6,
  });
});
