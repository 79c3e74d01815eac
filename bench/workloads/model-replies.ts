/** Chunks of a streamed answer, as the caller reads them. */
export const STREAM_CHUNKS = 500;

const WORD = "bucket ";
const encoder = new TextEncoder();
/** In the format of both providers' requests. */
type Request = { readonly body?: unknown } | undefined;

/** Answers an OpenAI chat completion: whole, or with one chunk per word and one with the usage. */
export function openaiReply(request: Request): Response {
  if (!asksForStream(request)) return json(COMPLETION);
  return eventStream(COMPLETION_CHUNKS);
}

/** Answers an Anthropic message: whole, or with one delta per word between the start and end events. */
export function anthropicReply(request: Request): Response {
  if (!asksForStream(request)) return json(MESSAGE);
  return eventStream(MESSAGE_EVENTS);
}

const OPENAI_USAGE = { prompt_tokens: 12, completion_tokens: 499, total_tokens: 511 };
const COMPLETION = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "large-1",
  choices: [{ index: 0, message: { role: "assistant", content: WORD.repeat(100) }, finish_reason: "stop" }],
  usage: OPENAI_USAGE,
};
const COMPLETION_CHUNKS = [
  ...words(STREAM_CHUNKS - 1).map((content) => completionChunk([{ index: 0, delta: { content } }], null)),
  completionChunk([], OPENAI_USAGE),
  encoder.encode("data: [DONE]\n\n"),
];

const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "large-1",
  content: [{ type: "text", text: WORD.repeat(100) }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 12, output_tokens: 495 },
};
const MESSAGE_EVENTS = [
  messageEvent({ type: "message_start", message: { ...MESSAGE, content: [], stop_reason: null } }),
  messageEvent({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
  ...words(STREAM_CHUNKS - 5).map((text) =>
    messageEvent({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
  ),
  messageEvent({ type: "content_block_stop", index: 0 }),
  messageEvent({
    type: "message_delta",
    delta: { stop_reason: "end_turn" },
    usage: { output_tokens: 495 },
  }),
  messageEvent({ type: "message_stop" }),
];

function words(count: number): readonly string[] {
  return Array.from({ length: count }, () => WORD);
}

function completionChunk(choices: readonly object[], usage: object | null): Uint8Array {
  const chunk = {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "large-1",
    choices,
    usage,
  };
  return encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`);
}

function messageEvent(event: { readonly type: string; readonly [field: string]: unknown }): Uint8Array {
  return encoder.encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

function asksForStream(request: Request): boolean {
  return String(request?.body).includes('"stream":true');
}

function json(body: object): Response {
  return new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });
}

/** Each chunk arrives separately, as over a network. */
function eventStream(chunks: readonly Uint8Array[]): Response {
  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunks[next++];
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}
