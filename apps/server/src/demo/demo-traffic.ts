import { addDays, DAY_MS, type Day, startOfDay } from "@assay/domain";
import { DEMO_EXPERIMENT } from "./demo-experiment.ts";
import { recordingText } from "./demo-recordings.ts";
import data from "./prompt-variants.json" with { type: "json" };

/** The demo's users come on this many whole days. */
export const DEMO_DAYS = 14;
/** The first night (from 0) that has the labels of readers. */
export const DEMO_LABELLED_NIGHT = 11;

const CHARACTERS_PER_TOKEN = 4;

export interface DemoUser {
  readonly id: string;
  /** When the user comes, epoch milliseconds. */
  readonly at: number;
  /** Place in the data of what the user asks, from 0. */
  readonly item: number;
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
  return data.items.map((_, item) => ({
    id: `user-${String(item).padStart(3, "0")}`,
    at: startOfDay(firstDay) + Math.floor(((item + 0.5) / count) ** 2 * DEMO_DAYS * DAY_MS),
    item,
  }));
}

/** Makes what became of a user under a variant, from that item's figures under it. Throws when the data does not know it. */
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

/** What the model was asked: the question's text is not bundled, its length is. */
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
