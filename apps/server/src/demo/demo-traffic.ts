import { murmur3 } from "@assay/bucketing";
import { addDays, DAY_MS, type Day, startOfDay } from "@assay/domain";

/** The number of whole days with demo traffic. */
export const DEMO_DAYS = 14;
/** The first night (from 0) that has readers' labels. */
export const DEMO_LABELLED_NIGHT = 11;

const CHARACTERS_PER_TOKEN = 4;
const HASHES = 2 ** 32;

export interface DemoUser {
  readonly id: string;
  /** When the user arrives, in epoch milliseconds. */
  readonly at: number;
  /** The user's place in the order of arrival, from 0. */
  readonly index: number;
}

/** An event that follows a user's exposure. */
export interface DemoOutcome {
  readonly type: "model_call" | "business_event";
  /** Unique among the user's outcomes. */
  readonly key: string;
  /** Milliseconds after the user's arrival. */
  readonly afterMs: number;
  /** The fields of its type. */
  readonly fields: Readonly<Record<string, string | number | boolean | Readonly<Record<string, string>>>>;
}

/** Lists the days of the demo's traffic. */
export function demoDays(firstDay: Day): readonly Day[] {
  return Array.from({ length: DEMO_DAYS }, (_, index) => addDays(firstDay, index));
}

/**
 * Lists users in order of arrival. Each day has fewer new users than the one before, as in most products, where the regulars come
 * first.
 */
export function arrivals(prefix: string, count: number, firstDay: Day): readonly DemoUser[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `${prefix}-${String(index).padStart(3, "0")}`,
    at: startOfDay(firstDay) + Math.floor(((index + 0.5) / count) ** 2 * DEMO_DAYS * DAY_MS),
    index,
  }));
}

/** Estimates the tokens of a text from its length. */
export function countTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Draws a number from 0 to 1, always the same one for a key. */
export function draw(key: string): number {
  return murmur3(key, 0) / HASHES;
}
