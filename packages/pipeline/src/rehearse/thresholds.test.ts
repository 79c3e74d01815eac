import { alwaysValid } from "@assay/stats";
import { describe, expect, test } from "vitest";
import { documented } from "../../../../tests/documented.ts";
import { MIN_LABELS_PER_ARM } from "../judge/agreement.ts";
import { FAILED, type Outcome, rehearsalOf } from "../test-support/rehearsals.ts";
import { analyzeRehearsal } from "./analyze-rehearsal.ts";
import { forecastExperiment } from "./forecast-experiment.ts";
import { type LedgerEntry, summarizeLedger } from "./ledger.ts";

const number = (pattern: RegExp) => documented("statistics.md", pattern);
const analyze = (inputs: number, outcomeOf: (input: number) => Outcome = () => ({})) =>
  analyzeRehearsal(rehearsalOf({ inputs }, outcomeOf));
const faultOf = (...own: Parameters<typeof analyze>) => analyze(...own).verdicts[0]!.fault;
const rowOf = (...own: Parameters<typeof analyze>) => analyze(...own).rows[0]!;

describe("the documented thresholds of a rehearsal", () => {
  test("failed answers: share and number", () => {
    const share = number(/more than (\d+)% of the answers of control or of the treatment failed/) / 100;
    const least = number(/answers of control or of the treatment failed, and at least (\d+)/);
    const failing = (count: number) => (input: number) => (input < count ? { treatment: FAILED } : {});
    expect(faultOf(200, failing(200 * share + 1))).toBe("too-many-failures");
    expect(faultOf(200, failing(200 * share))).toBeNull();
    expect(faultOf(31, failing(least))).toBe("too-many-failures");
    expect(faultOf(31, failing(least - 1))).toBeNull();
  });

  test("failed judgements: share and number", () => {
    const share = number(/the judge failed on (\d+)% of the pairs or more/) / 100;
    const least = number(/the judge failed on \d+% of the pairs or more, and at least (\d+)/);
    const failing = (count: number) => (input: number) =>
      input < count ? { isUnjudged: true, preferences: [null, null] as const } : {};
    expect(faultOf(400, failing(400 * share))).toBe("judge-failed");
    expect(faultOf(400, failing(400 * share - 1))).toBeNull();
    expect(faultOf(60, failing(least))).toBe("judge-failed");
    expect(faultOf(60, failing(least - 1))).toBeNull();
  });

  test("users, and pairs that contradict each other", () => {
    const users = number(/inputs of fewer than (\d+) users/);
    expect([faultOf(users), faultOf(users - 1)]).toEqual([null, "too-few-inputs"]);
    expect(rowOf(1)).toMatchObject({ pValue: null, isCorrected: false });
    const share = number(/more than (\d+)% of the pairs contradict each other/) / 100;
    const contradicting = (count: number) => (input: number) =>
      input < count ? { preferences: ["control", "treatment"] as const } : {};
    expect(faultOf(200, contradicting(200 * share + 1))).toBe("judge-inconsistent");
    expect(faultOf(200, contradicting(200 * share))).toBeNull();
  });

  test("users with a difference, and the interval without any", () => {
    const users = number(/If fewer than (\d+) users have any difference/);
    const width = (changed: number) => {
      const { ciLow, ciHigh } = rowOf(400, (input) =>
        input < changed ? { preferences: ["control", "control"] } : {},
      );
      return ciHigh! - ciLow!;
    };
    expect(width(users - 1)).toBeGreaterThan(width(users));
    const alike = number(/arms that were alike on 400 inputs have the interval ±([\d.]+\d)/);
    expect(rowOf(number(/arms that were alike on (\d+) inputs/)).ciHigh).toBeCloseTo(alike, 3);
  });

  test("picks, as many as labels elsewhere, and those that the confidence sequence is tuned to", () => {
    const least = number(/From (\d+) blind picks of a treatment's pairs on/);
    expect(least).toBe(MIN_LABELS_PER_ARM);
    const picked = (count: number) =>
      rowOf(400, (input) => ({
        preferences: input % 3 === 0 ? ["control", "control"] : ["treatment", "treatment"],
        ...(input < count ? { pick: input % 2 === 0 ? ("control" as const) : ("treatment" as const) } : {}),
      }));
    expect([picked(least).isCorrected, picked(least - 1).isCorrected]).toEqual([true, false]);
    const { effect, alwaysValidHigh, ciHigh } = picked(120);
    const expectedUsers = number(/in a corrected row to (\d+) picks/);
    const standardError = (ciHigh! - effect!) / 1.959963984540054;
    const sequence = (expected: number) =>
      alwaysValid({ effect: effect!, standardError, n: 120, expectedUsers: expected }).ciHigh;
    expect(alwaysValidHigh).toBeCloseTo(sequence(expectedUsers), 9);
    expect(alwaysValidHigh).not.toBeCloseTo(sequence(expectedUsers + 1), 9);
  });

  test("pairs of the ledger, and the spread without them", () => {
    const pairs = number(/With (\d+) pairs of a metric or more/);
    const entry: LedgerEntry = { metric: "error", rehearsed: 1, found: 1, foundLow: 0.5, foundHigh: 1.5 };
    const known = (count: number) => summarizeLedger(new Array(count).fill(entry), "error").transfer !== null;
    expect([known(pairs), known(pairs - 1)]).toEqual([true, false]);
    const spread = number(/assumes a spread of (\d+)% of the effect/) / 100;
    const row = { metric: "error", controlValue: 0, effect: 0.1, ciLow: 0.1, ciHigh: 0.1 } as const;
    const shares = { control: 0.5, treatment: 0.5 };
    const { low } = forecastExperiment({ row, ledger: [], baseline: null, shares, usersPerDay: null })!;
    expect(low).toBeCloseTo(0.1 - 1.959963984540054 * spread * 0.1, 12);
  });

  test("p is below 5% exactly when the interval excludes 0", () => {
    const rows = Array.from({ length: 30 }, (_, losses) =>
      rowOf(100, (input) => ({
        preferences:
          input >= 40
            ? (["tie", "tie"] as const)
            : input < losses
              ? (["control", "control"] as const)
              : (["treatment", "treatment"] as const),
      })),
    );
    const found = rows.map(({ pValue }) => pValue! < 0.05);
    expect(found).toEqual(rows.map(({ ciLow, ciHigh }) => ciLow! > 0 || ciHigh! < 0));
    expect(new Set(found).size).toBe(2);
    expect(rows[20]).toMatchObject({ effect: 0, pValue: 1 });
  });

  test("p of a worse treatment among several", () => {
    const level = number(/and p is at most ([\d.]+) \/ treatments/);
    const verdictOf = (losses: number) =>
      analyzeRehearsal(
        rehearsalOf({ inputs: 100, treatments: ["a", "b", "c", "d"] }, (input, treatment) => ({
          preferences:
            treatment > 0 || input >= 40
              ? ["tie", "tie"]
              : input < losses
                ? ["control", "control"]
                : ["treatment", "treatment"],
        })),
      );
    const reports = Array.from({ length: 21 }, (_, more) => verdictOf(20 + more));
    const between = reports.filter(({ rows }) => rows[0]!.ciHigh! < 0);
    const isWorse = ({ verdicts }: (typeof reports)[number]) => verdicts[0]!.verdict === "worse";
    expect(between.map(isWorse)).toEqual(between.map(({ rows }) => rows[0]!.pValue! <= level / 4));
    expect(new Set(between.map(isWorse)).size).toBe(2);
  });
});
