import type { MetricDefinition } from "../api/types.ts";
import { scaleOf } from "./judge-words.ts";
import { isJudged } from "./metric-words.ts";
import { dollars, milliseconds, money, number, percent, points } from "./numbers.ts";

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
  if (metric.kind === "binary" || field === "error" || field === "completed" || isPassRate) return SHARE;
  const write = writerOf(field) ?? inUnit(metric.unit ?? null);
  return { value: write, difference: write };
}

const plain = (value: number) => number(value);
const counted = (one: string) => (value: number) =>
  `${number(value)}${NO_BREAK}${value === 1 ? one : `${one}s`}`;
const tokens = counted("token");
const COUNTED: Readonly<Record<string, Write>> = {
  turns: counted("turn"),
  steps: counted("step"),
  tool_calls: counted("call"),
  tool_errors: counted("error"),
  handoffs: counted("handoff"),
};

type Write = (value: number) => string;

/** The unit of a field of a call or a run. Null: it has no unit of its own. Always the same function, because charts are redrawn when it changes. */
function writerOf(field: string | null): Write | null {
  if (field === "cost_usd") return dollars;
  if (field?.endsWith("_ms")) return milliseconds;
  if (field?.endsWith("_tokens")) return tokens;
  return COUNTED[field ?? ""] ?? null;
}

const CURRENCY = /^\p{Sc}$/u;
const writers = new Map<string, Write>();

/** A currency's sign stands before the number. */
function inUnit(unit: string | null): Write {
  if (unit === null) return plain;
  const known = writers.get(unit);
  if (known !== undefined) return known;
  const write: Write = CURRENCY.test(unit)
    ? (value) => money(value, unit, number(Math.abs(value)))
    : (value) => `${number(value)}${NO_BREAK}${unit}`;
  writers.set(unit, write);
  return write;
}
