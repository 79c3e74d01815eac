import { fieldAt } from "./foreign-value.ts";
import type { ModelCallFacts, Reading } from "./model-call-format.ts";

type Fact = keyof ModelCallFacts;

/**
 * The fields of an answer that hold facts, in the answer's own shape. A count is the sum of all its fields,
 * and a field may belong to two counts, or be subtracted from the second.
 */
export interface FactFields {
  readonly [field: string]: FactFields | Fact | `${Fact}${"+" | "-"}${Fact}`;
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
    else {
      const [fact, other] = told.split(/[+-]/);
      if (fact) learnFact(fact, value, { field, reading });
      if (other) learnFact(other, value, { field, reading, sign: told.includes("-") ? -1 : 1 });
    }
  }
}

function learnFact(
  fact: string,
  value: unknown,
  { field, reading, sign = 1 }: { field: string; reading: Reading; sign?: 1 | -1 },
): void {
  const facts = reading.facts as Record<string, unknown>;
  const isNumber = typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY;
  if (fact === "cost_usd") {
    if (isNumber) facts[fact] = value;
  } else if (!fact.endsWith("tokens")) {
    if (typeof value === "string" && value !== "") facts[fact] = value;
  } else if (isNumber) {
    // A later chunk may repeat only some of the counts in the sum.
    const counts = { ...reading.counts[fact], [field]: sign * value };
    reading.counts[fact] = counts;
    facts[fact] = Math.max(
      0,
      Object.values(counts).reduce((sum, count) => sum + count, 0),
    );
  }
}
