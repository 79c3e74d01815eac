import { anthropicMessages } from "./anthropic-messages.ts";
import { googleGenerateContent } from "./google-generate-content.ts";
import type { ModelCallFacts, ModelCallFormat } from "./model-call-format.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";

/** What `extract` may return. */
export type Extract<Result> = (result: Result) => ModelCallFacts | null | undefined;

const FORMATS = [openaiChat, openaiResponses, anthropicMessages, googleGenerateContent];

/**
 * Makes the format for calls of an unknown provider. `extract` reads each result and each chunk; the last value of a
 * field counts. Without it, the known providers' formats are recognized.
 */
export function resultFormat<Result>(extract: Extract<Result> | undefined): ModelCallFormat {
  return {
    isExtracted: extract !== undefined,
    read: (result, reading) => {
      if (extract) Object.assign(reading.facts, extract(result as Result));
      else for (const format of FORMATS) format.read(result, reading);
    },
  };
}
