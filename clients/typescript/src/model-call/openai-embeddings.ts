import { fieldAt } from "./foreign-value.ts";
import { learnFacts } from "./learn-facts.ts";
import type { ModelCallFormat } from "./model-call-format.ts";
import { openaiFacts } from "./openai-facts.ts";

const ANSWER = openaiFacts("prompt_tokens", "completion_tokens");

/** Embeddings of OpenAI, Azure and compatible APIs. An embedding has no text and no output tokens. */
export const openaiEmbeddings: ModelCallFormat = {
  provider: "openai",
  read: (answer, reading) => {
    if (fieldAt(answer, "data", 0, "object") !== "embedding") return;
    reading.facts.output_tokens = 0;
    learnFacts(answer, ANSWER, reading);
  },
};
