import { keepLastUsed, keptFor } from "../../last-used.ts";
import type { EventEngine, EventTable, TablePart } from "../engine/event-engine.ts";

/** Names a part: no other one has the name, at any time. */
export const partKey = ({ node, name, hash }: Pick<TablePart, "node" | "name" | "hash">): string =>
  `${node} ${name} ${hash}`;

/** What is asked: something about an org's rows in a table. Each table has one such question. */
interface Question {
  readonly table: EventTable;
  readonly orgId: string;
  /** The parts of the table, and of others, before it is asked. */
  readonly parts: readonly TablePart[];
}

interface Answer {
  readonly parts: string;
  readonly answer: unknown;
}

const answersOf = new WeakMap<EventEngine, Map<string, Answer>>();

/** Those that were asked for last. */
const ANSWERS_KEPT = 16;

/**
 * Asks the engine, unless the table still has the parts that it had when this process last asked: a part never changes, so neither has the
 * answer. Of a cluster, another replica may have listed the parts than the one that answered, so it is always asked.
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
