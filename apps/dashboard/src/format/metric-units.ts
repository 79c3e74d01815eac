import type { MetricDefinition } from "../api/types.ts";
import { scaleOf } from "./judge-words.ts";
import { isJudged } from "./metric-words.ts";
import { dollars, milliseconds, number, percent, points } from "./numbers.ts";

/** How a metric's values and differences are formatted. */
export interface MetricUnit {
  readonly value: (value: number) => string;
  /** A difference of two values; for shares in percentage points. */
  readonly difference: (value: number) => string;
}

const NO_BREAK = "\u00a0";
const SHARE: MetricUnit = { value: percent, difference: points };

/** Returns how a metric's numbers are formatted; plain numbers for an unknown metric. */
export function unitOf(metric: MetricDefinition | undefined): MetricUnit {
  if (metric === undefined) return { value: plain, difference: plain };
  const source = metric.source;
  const field = source !== undefined && "field" in source ? source.field : null;
  const isPassRate = isJudged(metric) && scaleOf(metric.judge) === "pass_fail" && metric.kind !== "ordinal";
  if (metric.kind === "binary" || field === "error" || isPassRate) return SHARE;
  const write = writerOf(field);
  return { value: write, difference: write };
}

const plain = (value: number) => number(value);
const tokens = (value: number) => `${number(value)}${NO_BREAK}${value === 1 ? "token" : "tokens"}`;

/** Returns the same function for the same field, because charts are redrawn when it changes. */
function writerOf(field: string | null): (value: number) => string {
  if (field === "cost_usd") return dollars;
  if (field?.endsWith("_ms")) return milliseconds;
  return field?.endsWith("_tokens") ? tokens : plain;
}
