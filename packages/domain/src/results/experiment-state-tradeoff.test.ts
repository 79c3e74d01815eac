import { expect, test } from "vitest";
import { facts, now, row, run, withRows, worse } from "../test-support/experiment-facts.ts";
import {
  type ExperimentFacts,
  type ExperimentState,
  experimentState,
  needsAttention,
} from "./experiment-state.ts";
import type { Tradeoff } from "./results.ts";

const within = { margin: 0.1, worstLoss: 0.05, isNotWorse: true, isNotWorseSeq: false };
const beyond = { ...within, worstLoss: 0.2, isNotWorse: false };
const tradeoff = (treatment: string, isSettled = true): Tradeoff => ({
  treatment,
  verdict: "cheaper-and-not-worse",
  saving: {
    metric: "cost",
    usdPer1000Users: 4,
    ciLow: 3,
    ciHigh: 5,
    relativeEffect: -0.2,
    relativeCiLow: -0.3,
    relativeCiHigh: -0.1,
  },
  notWorse: [{ metric: "m", margin: 0.1, worstLoss: 0.05, isJudgeOpinion: true }],
  isSettled,
});

test.each<{ what: string; of: ExperimentFacts; state: ExperimentState; attention: boolean }>([
  {
    what: "a guardrail that got worse by less than its margin",
    of: withRows([row(), row({ role: "guardrail", verdict: "worse", nonInferiority: within })]),
    state: "running",
    attention: false,
  },
  {
    what: "a guardrail that got worse by more than its margin",
    of: withRows([row(), row({ role: "guardrail", verdict: "worse", nonInferiority: beyond })]),
    state: "guardrail-failing",
    attention: true,
  },
  {
    what: "a treatment that is cheaper and not worse",
    of: facts({ lastRun: run([row({ nonInferiority: within })], { tradeoffs: [tradeoff("b")] }) }),
    state: "ready-to-decide",
    attention: true,
  },
  {
    what: "one that is cheaper and worse by less than the margin",
    of: facts({ lastRun: run([{ ...worse, nonInferiority: within }], { tradeoffs: [tradeoff("b")] }) }),
    state: "ready-to-decide",
    attention: true,
  },
  {
    what: "one that is cheaper, and worse in a primary metric without a margin",
    of: facts({ lastRun: run([worse], { tradeoffs: [tradeoff("b")] }) }),
    state: "losing",
    attention: true,
  },
  {
    what: "one that is cheaper beside another that loses",
    of: facts({ lastRun: run([worse, row({ treatment: "c" })], { tradeoffs: [tradeoff("c")] }) }),
    state: "ready-to-decide",
    attention: true,
  },
  {
    what: "one that is cheaper and not worse as far as one can tell so early",
    of: facts({ lastRun: run([row()], { tradeoffs: [tradeoff("b", false)] }) }),
    state: "running",
    attention: false,
  },
  {
    what: "one that is cheaper and not worse in an early look",
    of: facts({ lastRun: run([row()], { tradeoffs: [tradeoff("b")], preliminary: true }) }),
    state: "running",
    attention: false,
  },
])("$what makes an experiment $state, attention $attention", ({ of, state, attention }) => {
  expect(experimentState(of)).toBe(state);
  expect(needsAttention(of, now)).toBe(attention);
});
