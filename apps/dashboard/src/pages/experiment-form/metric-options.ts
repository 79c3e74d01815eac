import type { Option } from "../../ui/Field.tsx";
import type { MetricKind, MetricRole, MetricValues, SourceChoice } from "./metric-values.ts";

export const ROLES: readonly Option<MetricRole>[] = [
  { value: "primary", label: "Primary", detail: "The one that decides." },
  { value: "guardrail", label: "Guardrail", detail: "Must not get worse." },
  { value: "secondary", label: "Other", detail: "Good to know." },
];

export const DIRECTIONS: readonly Option<MetricValues["desired"]>[] = [
  { value: "increase", label: "Higher is better" },
  { value: "decrease", label: "Lower is better" },
];

export const KINDS: readonly Option<MetricKind>[] = [
  { value: "binary", label: "Share of users", detail: "with at least one value other than 0" },
  { value: "mean", label: "Total per user", detail: "the sum of a user's values, 0 without any" },
  { value: "ratio", label: "Average per call", detail: "over all calls, users as clusters" },
  { value: "quantile", label: "Quantile over calls", detail: "such as the p95" },
  { value: "ordinal", label: "Ranked score per user", detail: "grades, stars: compared by rank" },
];

export const SOURCES: readonly Option<SourceChoice>[] = [
  { value: "cost_usd", label: "Cost of a model call" },
  { value: "latency_ms", label: "Latency of a model call" },
  { value: "time_to_first_token_ms", label: "Time to the first token" },
  { value: "input_tokens", label: "Input tokens of a model call" },
  { value: "output_tokens", label: "Output tokens of a model call" },
  { value: "error", label: "Error of a model call" },
  { value: "business_event", label: "An event of your application" },
  { value: "judge", label: "A judge's score" },
];

export interface FieldUnit {
  readonly formatOptions: Intl.NumberFormatOptions;
  /** Null: the format says it. */
  readonly words: string | null;
}

/** How a value of the metric is typed in: margin and baseline. */
export function fieldUnit({ kind, source }: Pick<MetricValues, "kind" | "source">): FieldUnit {
  if (kind === "binary" || source === "error") {
    return { formatOptions: { style: "percent", maximumFractionDigits: 3 }, words: "in points of per cent" };
  }
  if (source === "cost_usd") {
    return { formatOptions: { style: "currency", currency: "USD", maximumFractionDigits: 6 }, words: null };
  }
  const plain = { maximumFractionDigits: 6 };
  if (source.endsWith("_ms")) return { formatOptions: plain, words: "in milliseconds" };
  if (source.endsWith("_tokens")) return { formatOptions: plain, words: "in tokens" };
  return { formatOptions: plain, words: null };
}
