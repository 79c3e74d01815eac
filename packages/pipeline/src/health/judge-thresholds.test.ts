import type { CheckCode, ScoredCall } from "@assay/domain";
import { ratioDelta, ratioMomentsOf, weightedSlope } from "@assay/stats";
import { describe, expect, test } from "vitest";
import { agreement } from "../judge/agreement.ts";
import { checkOf } from "../test-support/health.ts";
import { judgedMetric, judgedOf, scored } from "../test-support/judged.ts";

const metrics = [judgedMetric({ method: "ratio_delta" })];
const severityOf = (code: CheckCode, calls: readonly ScoredCall[]) =>
  checkOf(code, { metrics, judged: [judgedOf(calls)] }).severity;
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

/** Labeled calls of an arm, half of them good; the judge is wrong about the first `mistakes`. */
const labelled = (arm: string, count: number, mistakes: number) =>
  times(count, (index) => {
    const label = index % 2;
    return scored({ arm, label, score: index < mistakes ? 1 - label : label });
  });

describe("a judge warns", () => {
  test("at ten disagreements in an arm", () => {
    const calls = (mistakes: number) => [
      ...labelled("control", 400, 0),
      ...labelled("treatment", 40, mistakes),
    ];
    expect(severityOf("judge-agreement", calls(9))).toBe("ok");
    expect(severityOf("judge-agreement", calls(10))).toBe("warning");
    expect(checkOf("judge-agreement", { metrics, judged: [judgedOf(calls(11))] }).detail).toContain(
      "11 of 440 labeled calls (2.5",
    );
  });

  test("at ten failures in an arm", () => {
    const severity = (failed: number) => {
      const arm = { pending: 0, scored: 100 - failed, failed, labels: 0 };
      const judged = [judgedOf([], { arms: { control: arm, treatment: arm } })];
      return checkOf("judge-failures", { metrics, judged }).severity;
    };
    expect(severity(9)).toBe("info");
    expect(severity(10)).toBe("warning");
  });

  test("when kappa's interval ends below .4, fair agreement", () => {
    const ends: number[] = [];
    // The judge rightly fails twenty calls, and wrongly some good ones; disagreements stay below a fifth.
    for (let failed = 20; failed < 98; failed++) {
      const calls = times(400, (index) => {
        const [label, score] = [index < 20 ? 0 : 1, index < failed ? 0 : 1];
        return scored({ arm: index % 2 === 0 ? "control" : "treatment", label, score });
      });
      const labels = calls.map((call) => ({
        ...call,
        score: call.label ?? 0,
        judgeScore: call.score,
        isDrawn: true,
      }));
      const end = agreement(labels, "pass_fail").overall.ciHigh ?? 1;
      ends.push(end);
      expect(severityOf("judge-agreement", calls)).toBe(end < 0.4 ? "warning" : "ok");
    }
    expect(ends.some((end) => end >= 0.4 && end < 0.48)).toBe(true);
    expect(ends.some((end) => end < 0.4 && end >= 0.32)).toBe(true);
  });

  test("of a gap between arms that has p below .01", () => {
    const pValues: number[] = [];
    for (let users = 60; users <= 160; users += 4)
      for (let passes = 4; passes <= 8; passes++) {
        const gaps = (count: number) => times(users, (index) => (index < count ? 1 : 0));
        const moments = (count: number) =>
          ratioMomentsOf({ y: Float64Array.from(gaps(count)), d: new Float64Array(users).fill(1) });
        const p = ratioDelta([{ control: moments(1), treatment: moments(1 + passes) }])?.pValue ?? 1;
        if (p < 0.007 || p > 0.013) continue;
        pValues.push(p);
        const calls = [
          ...gaps(1).map((score) => scored({ arm: "control", score, label: 0 })),
          ...gaps(1 + passes).map((score) => scored({ arm: "treatment", score, label: 0 })),
        ];
        expect(severityOf("judge-bias", calls)).toBe(p < 0.01 ? "warning" : "ok");
      }
    expect(pValues.some((p) => p >= 0.008 && p < 0.01)).toBe(true);
    expect(pValues.some((p) => p >= 0.01 && p < 0.012)).toBe(true);
  });

  test("of lengths from 50 users", () => {
    const calls = (control: number, treatment: number) => {
      const arm = (name: string, users: number) =>
        times(users, (index) => scored({ arm: name, score: index % 2, answerLength: 100 + index }));
      return [...arm("control", control), ...arm("treatment", treatment)];
    };
    expect(severityOf("judge-length", calls(24, 25))).toBe("no-data");
    expect(severityOf("judge-length", calls(25, 25))).not.toBe("no-data");
  });

  test("of lengths whose slope has p below .01", () => {
    const pValues: number[] = [];
    // Longer answers score better, but for every n-th; those of treatment are twice as long.
    for (let users = 30; users <= 60; users++)
      for (let exception = 3; exception <= 7; exception++) {
        const own = times(users, (index) => {
          const isGood = index > users / 2 !== index % exception < 2;
          return { length: 100 + index, score: isGood ? 1 : 0 };
        });
        const points = [...own, ...own].map(({ length, score }, cluster) => {
          return { cluster, weight: 1, x: Math.log(length), y: score };
        });
        const p = weightedSlope(points)?.pValue ?? 1;
        if (p < 0.007 || p > 0.013) continue;
        pValues.push(p);
        const calls = own.flatMap(({ length, score }) => [
          scored({ arm: "control", score, answerLength: length }),
          scored({ arm: "treatment", score, answerLength: 2 * length }),
        ]);
        expect(severityOf("judge-length", calls)).toBe(p < 0.01 ? "warning" : "ok");
      }
    expect(pValues.some((p) => p >= 0.008 && p < 0.01)).toBe(true);
    expect(pValues.some((p) => p >= 0.01 && p < 0.012)).toBe(true);
  });
});
