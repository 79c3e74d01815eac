import type { MetricResult } from "../../../api/types.ts";

/** One metric of the scorecard, with its comparison for each treatment. */
export interface ScoreRow {
  readonly metric: string;
  readonly role: MetricResult["role"];
  /** By treatment; a treatment without enough values is absent. */
  readonly cells: ReadonlyMap<string, MetricResult>;
  /** Any of the cells, for what they share: control's value, the direction. */
  readonly first: MetricResult;
}

/** The roles in the order of the scorecard, in the words of its groups. */
export const GROUPS = [
  { role: "primary", title: "Decides" },
  { role: "guardrail", title: "Must not get worse" },
  { role: "secondary", title: "Also measured" },
] as const;

/** Which rows are shown: those with any cell that is clear, better, worse or unclear. */
export const STATE_FILTERS = [
  { value: "", label: "All results" },
  { value: "clear", label: "Clear" },
  { value: "better", label: "Better" },
  { value: "worse", label: "Worse" },
  { value: "inconclusive", label: "Not clear yet" },
] as const;
export type StateFilter = (typeof STATE_FILTERS)[number]["value"];

/** Which rows of the scorecard to show. */
export interface ScoreFilter {
  readonly text: string;
  readonly state: StateFilter;
}

/** Groups comparisons by metric, in the order of the run. */
export function scoreRows(rows: readonly MetricResult[]): readonly ScoreRow[] {
  return [...Map.groupBy(rows, ({ metric }) => metric)].map(([metric, own]) => {
    const [first] = own as [MetricResult];
    return { metric, role: first.role, first, cells: new Map(own.map((row) => [row.treatment, row])) };
  });
}

/** Whether a row passes the filter. */
export function isShown({ metric, cells }: ScoreRow, title: string, { text, state }: ScoreFilter): boolean {
  const wanted = text.trim().toLowerCase();
  if (![metric, title].some((one) => one.toLowerCase().includes(wanted))) return false;
  const verdicts = [...cells.values()].map(({ verdict }) => verdict);
  if (state === "") return true;
  return verdicts.some((verdict) => (state === "clear" ? verdict !== "inconclusive" : verdict === state));
}
