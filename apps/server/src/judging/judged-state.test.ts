import { createConfig, createMetric, type Judge } from "@assay/domain";
import { expect, test } from "vitest";
import { judgedState } from "./judged-state.ts";
import type { JudgeStatus } from "./judging.ts";

const judge: Judge = { rubric: "Is it right?", scale: "pass_fail", sampleRate: 0.1 };
const metric = (name: string, isJudged: boolean, of: Judge | null = null) =>
  createMetric({
    name,
    kind: isJudged ? "ratio" : "binary",
    category: isJudged ? "quality" : "business",
    methodDefault: "auto",
    metricVersion: 1,
    sharedOrgWide: false,
    judge: of,
  });
const configOf = (status: "draft" | "running" | "stopped", isDemo = false) => ({
  isDemo,
  config: createConfig({
    name: "e",
    salt: "s",
    bucketCount: 1000,
    allocation: [{ variant: "control", weight: 1 }],
    metrics: [metric("bought", false), metric("right", true, judge), metric("later", true)],
    status,
  }),
});

interface Facts {
  readonly judge?: Judge | null;
  readonly of?: "draft" | "running" | "stopped";
  readonly isDemo?: boolean;
  readonly status?: Partial<JudgeStatus>;
  readonly allowance?: number;
}

const fault = { detail: "No such model.", since: 1 };
test.each<readonly [name: string, facts: Facts, expected: string, says: RegExp]>([
  [
    "all is well",
    {},
    "judging",
    /m scores the first calls of each day within a minute\. The calls that count are drawn when the day is over/,
  ],
  ["nothing says what to look for", { judge: null }, "no-rubric", /rubric/],
  ["the plan has none", { allowance: 0 }, "locked", /larger/],
  ["no judge is set", { status: { model: null } }, "not-configured", /ASSAY_JUDGE_URL/],
  ["the experiment is stopped", { of: "stopped" }, "not-running", /stopped/],
  ["it is the demo's", { isDemo: true, allowance: 0 }, "not-running", /demo/],
  ["the experiment is a draft", { of: "draft" }, "not-running", /draft/],
  ["the endpoint gives nothing", { status: { fault } }, "judge-failing", /No such model/],
  ["the month is used up", { allowance: 5 }, "allowance-used", /The 5 judge .* 2026-12-01T00:00:00.000Z/],
])("when %s the state says so", (_name, facts, expected, says) => {
  const { judge: ofMetric = judge, of = "running", isDemo, status = {}, allowance = null } = facts;
  const state = judgedState(
    configOf(of, isDemo),
    { judge: ofMetric },
    {
      status: { model: "m", fault: null, perMinute: 0, ...status },
      allowance: { used: 5, allowance, resetsAt: Date.parse("2026-12-01T00:00:00Z") },
    },
  );
  expect(state).toEqual({ state: expected, detail: expect.stringMatching(says) });
});
