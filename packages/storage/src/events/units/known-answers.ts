import { keepLastUsed, keptFor } from "../../last-used.ts";
import type { EventEngine, EventTable, TablePart } from "../engine/event-engine.ts";

/** Returns a name for a part that no other part ever has. */
export const partKey = ({ node, name, hash }: Pick<TablePart, "node" | "name" | "hash">): string =>
  `${node} ${name} ${hash}`;

/** A question about an org's rows in a table. Each table has only one. */
interface Question {
  readonly table: EventTable;
  readonly orgId: string;
  /** The parts of this and other tables, as listed before the question is asked. */
  readonly parts: readonly TablePart[];
}

interface Answer {
  readonly parts: string;
  readonly answer: unknown;
}

const answersOf = new WeakMap<EventEngine, Map<string, Answer>>();

/** Number of answers that are kept. */
const ANSWERS_KEPT = 16;

/**
 * Asks the engine, unless the table still has the parts that it had when this process last asked: parts never change, so the answer is
 * the same. On a cluster it always asks, because another replica may answer than the one that listed the parts.
 */
export async function whilePartsStay<T>(
  engine: EventEngine,
  { table, orgId, parts }: Question,
  ask: () => Promise<T>,
): Promise<T> {
  if (!engine.isOneNode) return ask();
  const answers = keptFor(answersOf, engine);
  const name = `${table} ${orgId}`;
  const keys = parts
    .filter((part) => part.table === table)
    .map(partKey)
    .sort()
    .join("\n");
  const known = answers.get(name);
  const current = known?.parts === keys ? known : { parts: keys, answer: await ask() };
  keepLastUsed(answers, [name, current], ANSWERS_KEPT);
  return current.answer as T;
}
