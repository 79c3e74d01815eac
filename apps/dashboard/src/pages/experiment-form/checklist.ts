import { counted } from "../../format/numbers.ts";
import { ago } from "../../format/times.ts";
import type { ExperimentValues } from "./form-values.ts";
import { sharesOf } from "./weights.ts";

export interface ChecklistItem {
  readonly isDone: boolean;
  readonly text: string;
}

interface CodeFacts {
  /** The last use of any of the org's keys; null: never or unknown. */
  readonly lastUsedAt: string | null;
  readonly now: number;
}

const DAY_MS = 86_400_000;

/** Lists what to check before the start. It blocks nothing; only errors do. */
export function checklist(values: ExperimentValues, code: CodeFacts): readonly ChecklistItem[] {
  const primaries = values.metrics.filter(({ role }) => role === "primary");
  const guardrails = values.metrics.filter(({ role }) => role === "guardrail");
  return [
    values.hypothesis.trim() === ""
      ? todo("No hypothesis yet: write down what you expect before you see results.")
      : done("The hypothesis is written down."),
    primaryItem(primaries.map(({ name }) => name)),
    guardrails.length === 0
      ? todo("No guardrail: nothing warns you if the change does harm elsewhere.")
      : done(`${counted(guardrails.length, "guardrail")} set.`),
    ...originItems(values),
    weightsItem(values),
    codeItem(code),
  ];
}

function primaryItem(names: readonly string[]): ChecklistItem {
  if (names.length === 1) return done(`${names[0]} is the primary metric.`);
  return todo(
    names.length === 0
      ? "No primary metric: choose the one that decides."
      : `${names.length} primary metrics: choose the one that decides.`,
  );
}

/** Outcomes that decide should come from where nobody can forge them. */
function originItems({ metrics }: ExperimentValues): readonly ChecklistItem[] {
  const outcomes = metrics.filter(({ source }) => source === "business_event");
  const open = outcomes.filter(({ acceptFrom }) => !acceptFrom).map(({ name }) => name);
  if (outcomes.length === 0) return [];
  return open.length === 0
    ? [done("Outcomes count only from the sources you chose.")]
    : [
        todo(
          `Anyone can send ${open.join(", ")} with your publishable key. If your server sends it, accept only trusted sources.`,
        ),
      ];
}

function weightsItem({ variants, controlId, coverage }: ExperimentValues): ChecklistItem {
  const shares = sharesOf(variants.map(({ weight }) => weight));
  const empty = variants.filter((_, index) => shares[index] === 0);
  if (coverage === 0) return todo("The experiment takes no traffic yet.");
  if (empty.length > 0)
    return todo(
      `No traffic for ${empty.map(({ key }) => key).join(", ")}: a variant without traffic cannot be compared.`,
    );
  const control = shares[variants.findIndex(({ id }) => id === controlId)] ?? 0;
  const isLopsided = control < 0.1 || Math.min(...shares) < 0.1;
  return isLopsided
    ? todo("A variant with less than 10% of users needs a long time to show a difference.")
    : done("Every variant gets enough traffic to compare.");
}

function codeItem({ lastUsedAt, now }: CodeFacts): ChecklistItem {
  if (lastUsedAt === null) return todo("No application has used one of your keys yet.");
  return now - Date.parse(lastUsedAt) < DAY_MS
    ? done(`Your application used a key ${ago(lastUsedAt, now)}.`)
    : todo(`Your application last used a key ${ago(lastUsedAt, now)}.`);
}

const done = (text: string): ChecklistItem => ({ isDone: true, text });
const todo = (text: string): ChecklistItem => ({ isDone: false, text });
