import { keepLastUsed } from "../../last-used.ts";

/** Texts that are known to hold one statement. Parameters are bound apart from the text, so the same few texts come again and again. */
export interface KnownStatements {
  has(sql: string): boolean;
  add(sql: string): void;
}

/** More than the service's queries have. */
const MOST_TEXTS = 512;
/** Longer texts hold lists that hardly come twice. */
const MOST_CHARACTERS = 8 * 1024;

/** Creates an empty set, which forgets the text that was asked for longest ago when it is full. */
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
