import type { ExperimentResults, MetricResult, PriceListMark, SrmGate, Tradeoff } from "@assay/domain";
import type { ResultsSchema } from "./schemas/results.ts";
import type { ValueOf } from "./wire.ts";

/** Values for rows stored before these fields existed: no adjustment, no permutations, one period. */
const BEFORE = {
  pFloor: false,
  standardError: null,
  ciSelectedLow: null,
  ciSelectedHigh: null,
  pValueSeqFdr: null,
  mdeCorrected: null,
  daysToGo: null,
  usersForSkew: null,
  cuped: null,
  shift: null,
  periods: 1,
  judge: null,
  nonInferiority: null,
} satisfies Partial<MetricResult>;

type Later = keyof typeof BEFORE | "nTotalPerArm";
type StoredRow = Omit<MetricResult, Later> & Partial<Pick<MetricResult, Later>>;

/** A run as this version or an older one stored it. */
export interface StoredResults
  extends Omit<
    ExperimentResults,
    | "results"
    | "srm"
    | "withheldBy"
    | "seed"
    | "codeVersion"
    | "priceList"
    | "tradeoffs"
    | "decision"
    | "exclusions"
  > {
  readonly srm: Omit<SrmGate, "pValueSeq"> & { readonly pValueSeq?: number };
  readonly withheldBy?: ExperimentResults["withheldBy"];
  readonly seed?: number;
  readonly codeVersion?: string;
  readonly priceList?: PriceListMark;
  readonly tradeoffs?: readonly Tradeoff[];
  readonly decision?: ExperimentResults["decision"];
  readonly exclusions?: number;
  readonly results: Readonly<Record<string, StoredRow>>;
}

type OfTheStore = "revision" | "revisions" | "availableDays";

/** Fills in fields that an older version did not store, with the values that applied when the run was computed. */
export function completeRun(run: StoredResults): Omit<ValueOf<typeof ResultsSchema>, OfTheStore> {
  return {
    ...run,
    seed: run.seed ?? null,
    codeVersion: run.codeVersion ?? "",
    priceList: run.priceList ?? null,
    srm: { ...run.srm, pValueSeq: run.srm.pValueSeq ?? null },
    withheldBy: run.withheldBy ?? (run.srm.status === "halted" ? "srm" : null),
    results: Object.fromEntries(
      Object.entries(run.results).map(([key, row]) => [
        key,
        { ...BEFORE, nTotalPerArm: row.nPerArm, ...row },
      ]),
    ),
    tradeoffs: run.tradeoffs ?? [],
    decision: run.decision ?? null,
    exclusions: run.exclusions ?? 0,
  };
}
