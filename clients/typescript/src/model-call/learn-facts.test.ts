import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aiSdkFormat } from "./ai-sdk-format.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { googleGenerateContent } from "./google-generate-content.ts";
import { learnFacts } from "./learn-facts.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import { startReading } from "./reading.ts";

describe("learnFacts", () => {
  const fields = {
    model: "model",
    usage: { a: "input_tokens", b: "+input_tokens", c: "output_tokens", d: "+input_tokens+reasoning_tokens" },
  } as const;
  test.each([
    {
      name: "adds up counts, with the last value of each",
      answers: [{ usage: { a: 1, b: 2 } }, { usage: { a: 5 } }],
      known: { input_tokens: 7 },
    },
    {
      name: "uses a count that goes into two fields",
      answers: [{ usage: { a: 1, d: 3 } }, { usage: { d: 4 } }],
      known: { input_tokens: 5, reasoning_tokens: 4 },
    },
    {
      name: "uses a sum when only a part is reported",
      answers: [{ usage: { b: 2 } }],
      known: { input_tokens: 2 },
    },
    {
      name: "keeps what a later answer does not report",
      answers: [{ model: "m", usage: { c: 3 } }, { model: null, usage: null }, {}],
      known: { model: "m", output_tokens: 3 },
    },
    { name: "uses a reported zero", answers: [{ usage: { c: 0 } }], known: { output_tokens: 0 } },
    ...[-1, Number.NaN, Number.POSITIVE_INFINITY, "3", true, {}].map((c) => ({
      name: `reads no count from ${String(c)}`,
      answers: [{ usage: { c } }],
      known: {},
    })),
    ...["", 7, ["m"]].map((model) => ({
      name: `reads no text from ${JSON.stringify(model)}`,
      answers: [{ model }],
      known: {},
    })),
  ])("$name", ({ answers, known }) => {
    const reading = startReading({});
    for (const answer of answers) learnFacts(answer, fields, reading);
    expect(reading.facts).toEqual(known);
  });

  test("does not report the requested model as the one that answered", () => {
    const reading = startReading({});
    learnFacts({ model: "asked" }, { model: "requested_model" }, reading);
    learnFacts({}, { model: "model" }, reading);
    expect(reading.facts).toEqual({ requested_model: "asked" });
  });
});

describe.each([
  { name: "OpenAI's chat", format: openaiChat },
  { name: "OpenAI's responses", format: openaiResponses },
  { name: "Anthropic's", format: anthropicMessages },
  { name: "Google's", format: googleGenerateContent },
  { name: "the AI SDK's", format: aiSdkFormat(null) },
])("$name format", ({ format }) => {
  const NAMES = ["type", "message", "content", "delta", "usage", "candidates", "content_block", "index"];
  const odd = fc.object({
    key: fc.constantFrom(...NAMES),
    maxDepth: 3,
    withBigInt: true,
    withNullPrototype: true,
  });

  test("does not throw for nothing, and learns no counts from it", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(odd, fc.anything()), { maxLength: 5 }), (values) => {
        const reading = startReading({});
        for (const value of values) {
          format.read(value, reading);
        }
        const { input_tokens, output_tokens, reasoning_tokens } = reading.facts;
        expect([input_tokens, output_tokens, reasoning_tokens]).toEqual([undefined, undefined, undefined]);
      }),
    );
  });

  test("does not throw when a getter throws", () => {
    const reading = startReading({});
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error("hostile");
        },
      },
    );
    format.read(hostile, reading);
    expect(Object.values(reading.facts).filter(Boolean)).toEqual([]);
  });
});
