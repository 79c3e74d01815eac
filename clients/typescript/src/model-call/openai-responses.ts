import { fieldAt, textAt } from "./foreign-value.ts";
import type { ModelCallFormat, Reading } from "./model-call-format.ts";
import { learnOpenai } from "./openai-facts.ts";
import { addContent } from "./reading.ts";

/** The responses API of OpenAI and Azure. */
export const openaiResponses: ModelCallFormat = {
  provider: "openai",
  read: (answer, reading) => {
    if (learnResponse(answer, reading)) addContent(fieldAt(answer, "output"), reading);
    // In a stream, the first event has the model and the last one the usage.
    learnResponse(fieldAt(answer, "response"), reading);
    const type = textAt(answer, "type");
    const item = fieldAt(answer, "item");
    if (/(output_text|refusal)\.delta$/.test(type)) addContent(textAt(answer, "delta"), reading);
    // The message has already arrived in pieces.
    else if (/output_item\.done$/.test(type) && fieldAt(item, "type") !== "message")
      addContent(item, reading);
  },
};

function learnResponse(response: unknown, reading: Reading): boolean {
  const isResponse = fieldAt(response, "object") === "response";
  if (isResponse) learnOpenai(response, reading);
  return isResponse;
}
