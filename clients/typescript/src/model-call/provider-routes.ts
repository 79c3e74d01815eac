import { anthropicMessages } from "./anthropic-messages.ts";
import { googleGenerateContent } from "./google-generate-content.ts";
import type { ModelCallFormat } from "./model-call-format.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";

/**
 * The methods of providers' objects that make model calls, with their formats. Objects are recognized by their shape.
 */
export const ROUTES: readonly (readonly [path: string, format?: ModelCallFormat])[] = [
  ["chat.completions.create", openaiChat],
  // Up to version 4.
  ["beta.chat.completions.parse", openaiChat],
  ["completions.create", openaiChat],
  ["embeddings.create", openaiChat],
  ["responses.create", openaiResponses],
  ["messages.create", anthropicMessages],
  ["beta.messages.create", anthropicMessages],
  ["models.generateContent", googleGenerateContent],
  // Not a call itself: a chat sends its messages through the `models` that it finds in `chats`.
  ["chats.create"],
];

/** On an object that a route leads to, each call of these methods is one model call. */
export const CALLS = /^(create|parse|generateContent(Stream)?)$/;
/** These methods make such calls on `this`, or on its client. */
export const HELPERS = /^(stream|runTools|_?toolRunner(Thread)?)$/;
