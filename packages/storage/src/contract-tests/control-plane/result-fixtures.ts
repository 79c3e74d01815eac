import {
  type ControlStores,
  dayOf,
  type Experiment,
  type NewRun,
  type RunSummary,
  type StoredRun,
} from "@assay/domain";
import { NOW, ODD_TEXT } from "./fixtures.ts";

export const runOf = ({ orgId, id }: Experiment, overrides: Partial<NewRun> = {}): NewRun => ({
  orgId,
  experimentId: id,
  label: "2026-01-01",
  preliminary: false,
  windowTo: NOW,
  computedAt: NOW,
  body: { z: 1, a: [0.1, null, 1e-300, ODD_TEXT], nested: { "a::b": true } },
  ...overrides,
});

export const NO_SUMMARY: RunSummary = {
  srmStatus: "passed",
  worstRemark: null,
  rows: [],
  tradeoffs: [],
  decision: null,
};
export const put = ({ results }: Pick<ControlStores, "results">, run: NewRun, summary = NO_SUMMARY) =>
  results.put(run, summary);
/** The run as the store returns it. */
export const storedAs = (run: NewRun, revision = 1, revisions = revision): StoredRun => ({
  ...run,
  revision,
  revisions,
});

export const SUMMARY: RunSummary = {
  srmStatus: "halted",
  worstRemark: "warning",
  rows: [
    {
      ...{ metric: ODD_TEXT, treatment: "b", role: "primary", desired: "increase", verdict: "better" },
      ...{ effect: 0.1, ciLow: null, ciHigh: 1e-300, pValue: 0.01, pValueFdr: 0.02, significant: true },
      ...{ relativeEffect: null, relativeCiLow: null, relativeCiHigh: null, pValueSeqFdr: null },
      progress: { share: 0.5, daysToGo: null },
      nonInferiority: { margin: 0.1, worstLoss: null, isNotWorse: false, isNotWorseSeq: false },
    },
  ],
  tradeoffs: [
    {
      ...{ treatment: "b", verdict: "cheaper-and-not-worse", isSettled: true },
      saving: {
        ...{ metric: "cost", usdPer1000Users: 1.5, ciLow: 1, ciHigh: 2 },
        ...{ relativeEffect: null, relativeCiLow: null, relativeCiHigh: null },
      },
      notWorse: [{ metric: ODD_TEXT, margin: 0.1, worstLoss: 0.01, isJudgeOpinion: true }],
    },
  ],
  decision: {
    ...{ state: "ready-to-decide", decidedState: "ready-to-decide", treatment: "b", decidedOn: dayOf(NOW) },
    ...{ looks: "group_sequential", look: 3, information: 0.5, boundary: 2.9, losses: [], alarms: [] },
    open: [{ metric: ODD_TEXT, treatment: "b", days: null, labels: 9 }],
    ...{ startedOn: dayOf(NOW), earliestEnd: NOW - 1, plannedEnd: NOW },
  },
};
