import type { Demo } from "./demo-definition.ts";
import config from "./demo-experiment.json" with { type: "json" };
import { findRecording, recordingText, simulatedLabel } from "./demo-recordings.ts";
import { arrivals, countTokens, type DemoOutcome, type DemoUser } from "./demo-traffic.ts";
import data from "./prompt-variants.json" with { type: "json" };

const experiment = config as Demo["experiment"];

/** Real answers, recorded by AlpacaEval. Each item of the data is one user. Only figures are bundled, no texts. */
export const answerStyle: Demo = {
  idName: "demo",
  experiment,
  users: (firstDay) => arrivals("user", data.items.length, firstDay),
  outcomes,
  judge(answer) {
    const recording = findRecording(answer);
    if (recording === null) return null;
    const { preference: score } = recording;
    const reason = `Recorded: preferred to the answer of gpt-4-1106-preview with probability ${score}.`;
    return { score, reason };
  },
  label(answer) {
    const recording = findRecording(answer);
    return recording && simulatedLabel(recording);
  },
};

/** Makes a user's outcomes under a variant, from the item's recorded figures. */
function outcomes({ id, index }: DemoUser, variant: string | null): readonly DemoOutcome[] {
  const [characters, tokens] = data.items[index]?.[data.variants.indexOf(variant ?? "")] ?? [];
  if (characters === undefined || tokens === undefined)
    throw new Error(`${id} has variant "${variant}", which the demo's data does not know.`);
  const call = {
    model: data.model,
    provider: "openai",
    output_tokens: tokens,
    error: false,
    ...askedOf(index, variant),
    response: recordingText(index, data.variants.indexOf(variant ?? "")),
  };
  return [
    { type: "model_call", key: "model_call", afterMs: 0, fields: call },
    {
      ...{ type: "business_event", key: "business_event", afterMs: 0 },
      fields: { business_metric: "answer_characters", value: characters },
    },
  ];
}

/** Builds the prompt. The question's text is not bundled, but its length is. */
function askedOf(item: number, variant: string | null) {
  const system = experiment.variants?.find(({ key }) => key === variant)?.prompt ?? "";
  const characters = data.question_characters[item] ?? 0;
  const question = `Question ${item} of AlpacaEval, of ${characters} characters; its text is not bundled.`;
  const messages = [
    { role: "system", content: system },
    { role: "user", content: question },
  ];
  return { prompt: JSON.stringify(messages), input_tokens: countTokens(system.length + characters) };
}
