import { isText } from "../fields.ts";
import { fieldAt, textAt } from "./foreign-value.ts";
import type { ModelCallFacts, Reading } from "./model-call-format.ts";

type Fact = keyof ModelCallFacts;
type Summand = `${"+" | "-"}${Fact}`;

/**
 * The fields of an answer that contain facts, in the answer's own shape. A field may also be added to a count or subtracted from it.
 */
export interface FactFields {
  readonly [field: string]: FactFields | Fact | Summand | `${Fact | Summand}${Summand}`;
}

/**
 * Reads the facts of an answer or a chunk. The last value of a field counts; a missing field changes nothing.
 */
export function learnFacts(answer: unknown, fields: FactFields, reading: Reading): void {
  const facts = reading.facts as Record<string, unknown>;
  for (const field in fields) {
    const value = fieldAt(answer, field) as number;
    const told = fields[field] ?? "";
    if (!isText(told)) learnFacts(value, told, reading);
    else
      for (const [, sign = "", fact = ""] of told.matchAll(/([+-]?)(\w+)/g)) {
        if (!/tokens|cost/.test(fact)) facts[fact] = textAt(answer, field) || facts[fact];
        else if (Number.isFinite(value) && value >= 0) {
          // A later chunk may repeat only some of the counts in the sum.
          reading.sums[fact] = { ...reading.sums[fact], [sign && field]: Number(`${sign}1`) * value };
          const counts = Object.values(reading.sums[fact]);
          facts[fact] = Math.max(
            0,
            counts.reduce((total, count) => total + count),
          );
        }
      }
  }
}
