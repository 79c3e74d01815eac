import type { FactFields } from "./learn-facts.ts";

/** Returns what tells the facts in an answer of OpenAI: the same in all its APIs but for the names of the counts. */
export function openaiFacts(input: string, output: string): FactFields {
  return {
    model: "model",
    usage: {
      [input]: "input_tokens",
      [`${input}_details`]: { cached_tokens: "cached_input_tokens" },
      [output]: "output_tokens",
      [`${output}_details`]: { reasoning_tokens: "reasoning_tokens" },
    },
  };
}
