import { keepLastUsed } from "../../last-used.ts";

/** Texts that are known to contain a single statement. Parameters are bound separately, so the same few texts recur. */
export interface KnownStatements {
  has(sql: string): boolean;
  add(sql: string): void;
}

/** More texts than the service's queries have. */
const MOST_TEXTS = 512;
/** Longer texts contain lists that hardly ever recur. */
const MOST_CHARACTERS = 8 * 1024;

/** Creates an empty set. When it is full, it forgets the least recently used text. */
export function knownStatements(mostTexts = MOST_TEXTS): KnownStatements {
  const texts = new Map<string, true>();
  return {
    has(sql) {
      const isKnown = texts.has(sql);
      if (isKnown) keepLastUsed(texts, [sql, true], mostTexts);
      return isKnown;
    },
    add(sql) {
      if (sql.length <= MOST_CHARACTERS) keepLastUsed(texts, [sql, true], mostTexts);
    },
  };
}
