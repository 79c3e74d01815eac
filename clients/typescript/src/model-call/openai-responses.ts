import { fieldAt, textAt } from "./foreign-value.ts";
import { type FactFields, learnFacts } from "./learn-facts.ts";
import type { ModelCallFormat, Reading } from "./model-call-format.ts";
import { openaiFacts } from "./openai-facts.ts";
import { addContent } from "./reading.ts";

const RESPONSE: FactFields = {
  ...openaiFacts("input_tokens", "output_tokens"),
  status: "finish_reason",
  // More specific than the status.
  incomplete_details: { reason: "finish_reason" },
  // The library does not throw for a failed response.
  error: { code: "error_type" },
};

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
  if (isResponse) learnFacts(response, RESPONSE, reading);
  return isResponse;
}
