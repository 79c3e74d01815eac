import { expect, test } from "vitest";
import { bandInWords, type MetricReplay, spreadOf, summaryOf } from "./replay-words.ts";

const of = (...rows: readonly (readonly [MetricReplay["verdict"], ...MetricReplay["causes"]])[]) => ({
  metrics: rows.map(([verdict, ...causes]) => ({ verdict, causes })),
});

test.each([
  [of(), "There is too little data yet."],
  [of(["no-data"]), "There is too little data yet."],
  [of(["correct"], ["no-data"]), "1\u00a0metric tested: no fault found."],
  [of(["correct"], ["no-data", "heavy-users"]), "1 of 2\u00a0metrics needs a look."],
  [
    of(["false-alarms", "heavy-users"], ["cautious", "ties"], ["correct"]),
    "2 of 3\u00a0metrics need a look.",
  ],
])("summary %#", (replay, words) => expect(summaryOf(replay)).toBe(words));

test.each([
  [0.033, 0.069, "3.3% to 6.9%"],
  [null, null, null],
])("band %s to %s", (band_low, band_high, words) =>
  expect(bandInWords({ band_low, band_high } as MetricReplay)).toBe(words),
);

test.each([
  [3, 2, 1.5],
  [3, null, null],
  [null, 2, null],
  [3, 0, null],
])("a spread of %s by a standard error of %s", (effect_sd, standard_error, ratio) =>
  expect(spreadOf({ effect_sd, standard_error } as MetricReplay)).toBe(ratio),
);
