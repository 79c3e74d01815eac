import { addDays, DAY_MS, type Day, startOfDay } from "@assay/domain";
import { DEMO_EXPERIMENT } from "./demo-experiment.ts";
import { recordingText } from "./demo-recordings.ts";
import data from "./prompt-variants.json" with { type: "json" };

/** The number of whole days with demo traffic. */
export const DEMO_DAYS = 14;
/** The first night (from 0) that has readers' labels. */
export const DEMO_LABELLED_NIGHT = 11;

const CHARACTERS_PER_TOKEN = 4;

export interface DemoUser {
  readonly id: string;
  /** When the user arrives, in epoch milliseconds. */
  readonly at: number;
  /** The index in the data of the user's question. */
  readonly item: number;
}

/** An event that follows a user's exposure: its type and its own fields. */
export interface DemoOutcome {
  readonly type: "model_call" | "business_event";
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}

/** Lists the days of the demo's traffic. */
export function demoDays(firstDay: Day): readonly Day[] {
  return Array.from({ length: DEMO_DAYS }, (_, index) => addDays(firstDay, index));
}

/**
 * Lists the demo's users in order of arrival, one per item of the data. Each day has fewer new users than the one before, as in most
 * products, where the regulars come first.
 */
export function demoUsers(firstDay: Day): readonly DemoUser[] {
  const count = data.items.length;
  return data.items.map((_, item) => ({
    id: `user-${String(item).padStart(3, "0")}`,
    at: startOfDay(firstDay) + Math.floor(((item + 0.5) / count) ** 2 * DEMO_DAYS * DAY_MS),
    item,
  }));
}

/** Makes a user's outcomes under a variant, from the item's recorded figures. Throws for an unknown variant. */
export function demoOutcomes({ id, item }: DemoUser, variant: string | null): readonly DemoOutcome[] {
  const [characters, tokens] = data.items[item]?.[data.variants.indexOf(variant ?? "")] ?? [];
  if (characters === undefined || tokens === undefined)
    throw new Error(`${id} has variant "${variant}", which the demo's data does not know.`);
  const call = {
    model: data.model,
    provider: "openai",
    output_tokens: tokens,
    error: false,
    ...askedOf(item, variant),
    response: recordingText(item, data.variants.indexOf(variant ?? "")),
  };
  return [
    { type: "model_call", fields: call },
    { type: "business_event", fields: { business_metric: "answer_characters", value: characters } },
  ];
}

/** Builds the prompt. The question's text is not bundled, but its length is. */
function askedOf(item: number, variant: string | null) {
  const system = DEMO_EXPERIMENT.variants?.find(({ key }) => key === variant)?.prompt ?? "";
  const characters = data.question_characters[item] ?? 0;
  const question = `Question ${item} of AlpacaEval, of ${characters} characters; its text is not bundled.`;
  const messages = [
    { role: "system", content: system },
    { role: "user", content: question },
  ];
  return {
    prompt: JSON.stringify(messages),
    input_tokens: Math.ceil((system.length + characters) / CHARACTERS_PER_TOKEN),
  };
}
