import type { JudgementStore, ScoredCall } from "@assay/domain";
import { describe, expect, test } from "vitest";
import { judgedMetric, judgedOf, scored } from "../test-support/judged.ts";
import { experimentOf, metric, until } from "../test-support/runs.ts";
import { loadJudged } from "./load-judged.ts";

type Judgements = Pick<JudgementStore, "summarize" | "listScored">;

/** A series of one metric and version that answers in pages, as the port requires. */
function judgementsOf(calls: readonly ScoredCall[], metricVersion = 1): Judgements & { asked: unknown[] } {
  const asked: unknown[] = [];
  const { summary } = judgedOf(calls, { metricVersion });
  return {
    asked,
    summarize: async () => (summary === null ? [] : [summary]),
    async listScored(series, { after, limit, until }) {
      asked.push({ series, until, limit });
      return calls.filter(({ eventId }) => after === null || eventId > after).slice(0, limit);
    },
  };
}

describe("loadJudged", () => {
  test("makes no query for an experiment without judged metrics", async () => {
    const refuses: Judgements = {
      summarize: () => Promise.reject(new Error("asked")),
      listScored: () => Promise.reject(new Error("asked")),
    };
    expect(await loadJudged(experimentOf([metric("m")]), until, refuses)).toEqual([]);
  });

  test.each([0, 1, 999, 1_000, 1_001, 2_500])("reads all of %i scored calls, page by page", async (count) => {
    const calls = Array.from({ length: count }, () => scored());
    const [judged] = await loadJudged(experimentOf([judgedMetric()]), until, judgementsOf(calls));
    expect(judged?.calls).toEqual(calls);
    expect(judged?.summary?.judgeVersion).toBe("judge-1@0123456789abcdef");
  });

  test("reads only the scores of the metric's version", async () => {
    const judgements = judgementsOf([scored()], 2);
    const experiment = experimentOf([judgedMetric()]);
    expect(await loadJudged(experiment, until, judgements)).toEqual([
      { metric: "quality", summary: null, calls: [] },
    ]);
    expect(judgements.asked).toEqual([]);
    const [judged] = await loadJudged(experimentOf([judgedMetric({ metricVersion: 2 })]), until, judgements);
    expect(judged?.calls).toHaveLength(1);
    expect(judgements.asked).toEqual([
      {
        series: { orgId: "o", experimentId: experiment.id, metric: "quality", metricVersion: 2 },
        until,
        limit: 1_000,
      },
    ]);
  });
});
