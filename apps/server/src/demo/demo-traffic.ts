import { addDays, DAY_MS, type Day, startOfDay } from "@assay/domain";
import data from "./prompt-variants.json" with { type: "json" };

/** The demo's users come on this many whole days. */
export const DEMO_DAYS = 14;

export interface DemoUser {
  readonly id: string;
  /** When the user comes, epoch milliseconds. */
  readonly at: number;
  /** Per variant of the data: characters, tokens, judge preference. */
  readonly figures: readonly (readonly number[])[];
}

/** What follows a user's exposure: the event's type and the fields that are its own. */
export interface DemoOutcome {
  readonly type: "model_call" | "business_event";
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}

/** Lists the days of the demo's traffic. */
export function demoDays(firstDay: Day): readonly Day[] {
  return Array.from({ length: DEMO_DAYS }, (_, index) => addDays(firstDay, index));
}

/**
 * Lists the demo's users as they come, one for each item of the data. Fewer are new from day to day, as in most products, where
 * the regulars come first.
 */
export function demoUsers(firstDay: Day): readonly DemoUser[] {
  const count = data.items.length;
  return data.items.map((figures, index) => ({
    id: `user-${String(index).padStart(3, "0")}`,
    at: startOfDay(firstDay) + Math.floor(((index + 0.5) / count) ** 2 * DEMO_DAYS * DAY_MS),
    figures,
  }));
}

/** Makes what became of a user under a variant, from that item's figures under it. Throws when the data does not know it. */
export function demoOutcomes({ id, figures }: DemoUser, variant: string | null): readonly DemoOutcome[] {
  const [characters, tokens, preference] = figures[data.variants.indexOf(variant ?? "")] ?? [];
  if (characters === undefined || tokens === undefined || preference === undefined)
    throw new Error(`${id} has variant "${variant}", which the demo's data does not know.`);
  const call = { model: data.model, provider: "openai", output_tokens: tokens, error: false };
  return [
    { type: "model_call", fields: call },
    { type: "business_event", fields: { business_metric: "answer_characters", value: characters } },
    { type: "business_event", fields: { business_metric: "judge_preference", value: preference } },
  ];
}
