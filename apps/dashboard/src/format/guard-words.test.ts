import { expect, test } from "vitest";
import { guardRows, noticeableInWords, rolloutInWords } from "./guard-words.ts";

const look = (change: object) => ({
  ...{ signal: "error_rate", treatment: "b", control_value: 0.02, treatment_value: 0.0625, acceptable: 0.01 },
  ...{ is_relative: false, events: 900, evidence: 0.5 },
  ...change,
});

test("signals are rows in words, the nearest to harm first", () => {
  const rows = guardRows([
    look({ signal: "split", acceptable: null, control_value: null, treatment_value: null, evidence: null }),
    look({}),
    look({
      signal: "latency",
      acceptable: 0.2,
      is_relative: true,
      control_value: 100,
      treatment_value: 250,
      evidence: 1.2,
    }),
    look({ signal: "refund", acceptable: 0, evidence: 0 }),
  ]);
  expect(rows.map(({ key }) => key)).toEqual(["latency::b", "error_rate::b", "refund::b", "split::b"]);
  expect(rows[0]).toMatchObject({
    ...{ values: "250 ms vs 100 ms", acceptable: "20% more", evidence: "120% of the evidence for a hold" },
  });
  expect(rows[1]).toMatchObject({
    signal: "Failed calls",
    acceptable: "1% worse",
    evidence: "50% of the evidence for a hold",
  });
  expect(rows[2]).toMatchObject({
    signal: "refund",
    acceptable: "0 worse",
    evidence: "0% of the evidence for a hold",
  });
  expect(rows[3]).toMatchObject({ values: "– vs –", acceptable: "none", evidence: "too few events" });
});

test("the harm that is noticed within an hour is said before the start", () => {
  const errors = { signal: "error_rate", value: 0.02, harm: 0.031, is_relative: false };
  const latency = { signal: "latency", value: 640, harm: 0.25, is_relative: true };
  const cost = { signal: "cost_per_call", value: 0.01, harm: null, is_relative: true };
  expect(noticeableInWords([errors, latency, cost])).toBe(
    "At the traffic of the last 14 days, the guard would notice within an hour, in four of five cases: failed calls: 3.1 percentage points more than the usual 2%; mean latency: 25% more than the usual 640 ms; mean cost of a call: an hour has too few calls.",
  );
  expect(noticeableInWords([])).toBe("");
});

test("a rollout says its stage, and when the next one may begin", () => {
  const rollout = { stages: [1, 5, 50], min_minutes: 60, stage: 1 };
  expect(rolloutInWords(rollout, "2026-06-10T10:00:00.000Z")).toMatch(
    /stage 2 of 3, 5% .* The next, 50%, begins at 10 Jun/,
  );
  expect(rolloutInWords(rollout, null)).toBe("Rollout: stage 2 of 3, 5% of the users in treatments.");
  expect(rolloutInWords({ ...rollout, stage: 2 }, null)).toMatch(/This is the last stage/);
});
