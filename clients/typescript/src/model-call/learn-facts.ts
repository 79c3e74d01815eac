import { fieldAt } from "./foreign-value.ts";
import type { ModelCallFacts, Reading } from "./model-call-format.ts";

type Fact = keyof ModelCallFacts;

/**
 * The fields of an answer that hold facts, in the answer's own shape. A count is the sum of all its fields,
 * and a field may belong to two counts.
 */
export interface FactFields {
  readonly [field: string]: FactFields | Fact | `${Fact}+${Fact}`;
}

/**
 * Takes the facts of an answer or a chunk. The last value of a field counts; a missing field changes nothing.
 */
export function learnFacts(answer: unknown, fields: FactFields, reading: Reading): void {
  for (const field in fields) {
    const value = fieldAt(answer, field);
    if (value == null) continue;
    const told = fields[field];
    if (typeof told !== "string") learnFacts(value, told ?? {}, reading);
    else for (const fact of told.split("+")) learnFact(fact, value, { field, reading });
  }
}

function learnFact(
  fact: string,
  value: unknown,
  { field, reading }: { field: string; reading: Reading },
): void {
  const facts = reading.facts as Record<string, unknown>;
  if (!fact.endsWith("tokens")) {
    if (typeof value === "string" && value !== "") facts[fact] = value;
  } else if (typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY) {
    // A later chunk may repeat only some of the counts in the sum.
    const { counts } = reading;
    const others = ((facts[fact] ?? 0) as number) - (counts[fact + field] ?? 0);
    counts[fact + field] = value;
    facts[fact] = others + value;
  }
}
