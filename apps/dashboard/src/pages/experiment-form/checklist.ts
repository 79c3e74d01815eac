import { counted } from "../../format/numbers.ts";
import { ago } from "../../format/times.ts";
import type { ExperimentValues } from "./form-values.ts";
import { sharesOf } from "./weights.ts";

export interface ChecklistItem {
  readonly isDone: boolean;
  readonly text: string;
}

interface CodeFacts {
  /** When any key of the org was used last; null: never, or not known. */
  readonly lastUsedAt: string | null;
  readonly now: number;
}

const DAY_MS = 86_400_000;

/** Looks at what a careful person looks at before the start. Nothing here blocks: faults do. */
export function checklist(values: ExperimentValues, code: CodeFacts): readonly ChecklistItem[] {
  const primaries = values.metrics.filter(({ role }) => role === "primary");
  const guardrails = values.metrics.filter(({ role }) => role === "guardrail");
  return [
    values.hypothesis.trim() === ""
      ? todo("No hypothesis: what you expect, written down before the first number.")
      : done("A hypothesis is written down."),
    primaryItem(primaries.map(({ name }) => name)),
    guardrails.length === 0
      ? todo("No guardrail: nothing tells you when the change harms something else.")
      : done(`${counted(guardrails.length, "guardrail")} watched.`),
    weightsItem(values),
    codeItem(code),
  ];
}

function primaryItem(names: readonly string[]): ChecklistItem {
  if (names.length === 1) return done(`${names[0]} decides.`);
  return todo(
    names.length === 0
      ? "No primary metric: say which one decides."
      : `${names.length} primary metrics: choose the one that decides.`,
  );
}

function weightsItem({ variants, controlId, coverage }: ExperimentValues): ChecklistItem {
  const shares = sharesOf(variants.map(({ weight }) => weight));
  const empty = variants.filter((_, index) => shares[index] === 0);
  if (coverage === 0) return todo("The experiment takes no traffic yet.");
  if (empty.length > 0)
    return todo(`${empty.map(({ key }) => key).join(", ")} gets no traffic, so nothing can be compared.`);
  const control = shares[variants.findIndex(({ id }) => id === controlId)] ?? 0;
  const isLopsided = control < 0.1 || Math.min(...shares) < 0.1;
  return isLopsided
    ? todo("A variant with less than 10 % of the users takes long to tell anything.")
    : done("Every variant gets enough traffic to compare.");
}

function codeItem({ lastUsedAt, now }: CodeFacts): ChecklistItem {
  if (lastUsedAt === null) return todo("No application has called with a key of yours yet.");
  return now - Date.parse(lastUsedAt) < DAY_MS
    ? done(`Your application called ${ago(lastUsedAt, now)}.`)
    : todo(`Your application called ${ago(lastUsedAt, now)} for the last time.`);
}

const done = (text: string): ChecklistItem => ({ isDone: true, text });
const todo = (text: string): ChecklistItem => ({ isDone: false, text });
