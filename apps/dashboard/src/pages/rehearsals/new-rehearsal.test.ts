import { expect, test } from "vitest";
import { drawBody, missing, rehearsalBody, startValues } from "./new-rehearsal.ts";

const values = { ...startValues("e", ["control", "short", "long", "warm", "cold"]), rubric: "Right?" };

test("at most four variants are chosen from the start", () => {
  expect(values.variants).toEqual(["control", "short", "long", "warm"]);
});

test("inputs are drawn from the calls of the last 31 days", () => {
  expect(drawBody(values, "calls", Date.parse("2026-11-27T00:00:00Z"))).toEqual({
    name: "calls",
    from_experiment: {
      experiment_id: "e",
      from: "2026-10-27T00:00:00.000Z",
      until: "2026-11-27T00:00:00.000Z",
      items: 200,
    },
  });
});

test("arms are the variants, then the draft, all with the model if one is named", () => {
  expect(rehearsalBody(values, { id: "d" })).toMatchObject({
    dataset_id: "d",
    arms: [
      { name: "control", experiment_id: "e", variant: "control" },
      { name: "short", experiment_id: "e", variant: "short" },
      { name: "long", experiment_id: "e", variant: "long" },
      { name: "warm", experiment_id: "e", variant: "warm" },
    ],
    judge: { rubric: "Right?" },
  });
  const draft = { ...values, variants: ["control"], draft: "Be brief.", model: " gpt-5-mini " };
  expect(rehearsalBody(draft, { id: "d" }).arms).toEqual([
    { name: "control", experiment_id: "e", variant: "control", model: "gpt-5-mini" },
    { name: "draft", prompt: "Be brief.", model: "gpt-5-mini" },
  ]);
});

test.each([
  [{}, null],
  [{ variants: ["control"] }, "Choose two variants"],
  [{ variants: ["control"], draft: "x", model: "m" }, null],
  [{ draft: "x" }, "Name the model"],
  [{ rubric: " " }, "Write what makes"],
])("%j lacks %s", (change, text) => {
  const found = missing({ ...values, ...change });
  expect(text === null ? found : found?.startsWith(text)).toBe(text === null ? null : true);
});
