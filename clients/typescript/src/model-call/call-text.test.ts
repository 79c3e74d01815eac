import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { appendBounded, boundText, contentText, messagesText } from "./call-text.ts";

const MAX_BYTES = 65_536;
const bytesOf = (text: string) => Buffer.byteLength(text);

describe("boundText", () => {
  test.each([
    { name: "keeps an empty text", text: "", bounded: "" },
    { name: "keeps 64 KiB to the byte", text: "a".repeat(MAX_BYTES), bounded: "a".repeat(MAX_BYTES) },
    {
      name: "cuts one byte more, with the mark within the limit",
      text: "a".repeat(MAX_BYTES + 1),
      bounded: `${"a".repeat(MAX_BYTES - 8)}…[cut]`,
    },
    {
      name: "keeps a text of three bytes per unit that fits",
      text: "日".repeat(21_845),
      bounded: "日".repeat(21_845),
    },
    {
      name: "cuts between characters, not inside one",
      text: `a${"😀".repeat(20_000)}`,
      bounded: `a${"😀".repeat(16_381)}…[cut]`,
    },
    {
      name: "removes media from a text before measuring it",
      text: `see data:image/png;base64,${"A".repeat(MAX_BYTES)} here`,
      bounded: "see [image/png removed] here",
    },
    {
      name: "removes the parameters of a data URL as well",
      text: "<data:text/plain;charset=utf-8;base64,SGk=>",
      bounded: "<[text/plain removed]>",
    },
    { name: "keeps what only looks like a data URL", text: "data:;base64,abc", bounded: "data:;base64,abc" },
  ])("$name", ({ text, bounded }) => expect(boundText(text)).toBe(bounded));

  test("returns a text within the limit, and leaves it unchanged the second time", () => {
    const texts = fc.tuple(fc.string({ unit: "binary", maxLength: 40 }), fc.integer({ min: 1, max: 9_000 }));
    fc.assert(
      fc.property(texts, ([unit, times]) => {
        const bounded = boundText(unit.repeat(times));
        expect(bytesOf(bounded)).toBeLessThanOrEqual(MAX_BYTES);
        expect(boundText(bounded)).toBe(bounded);
      }),
      { numRuns: 50 },
    );
  });
});

describe("appendBounded", () => {
  test("accumulates deltas to the same result as for the whole text", () => {
    const deltas = Array.from({ length: 30_000 }, (_, index) => `${index}€😀`);
    const folded = deltas.reduce(appendBounded, "");
    expect(boundText(folded)).toBe(boundText(deltas.join("")));
  });

  test("holds no more than it keeps, however much arrives", () => {
    expect(appendBounded("b".repeat(MAX_BYTES), "a".repeat(10_000_000))).toHaveLength(MAX_BYTES + 1);
    expect(appendBounded("b".repeat(MAX_BYTES + 9), "a")).toHaveLength(MAX_BYTES + 9);
  });
});

describe("contentText", () => {
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  test.each([
    { name: "a plain string", content: "Hi", text: "Hi" },
    { name: "nothing", content: null, text: "" },
    { name: "something that is not content", content: 7, text: "" },
    {
      name: "texts of the same kind, joined unchanged",
      content: [
        { type: "text", text: "a" },
        { type: "input_text", text: " b" },
        { type: "output_text", text: " c" },
      ],
      text: "a b c",
    },
    { name: "a refusal", content: [{ type: "refusal", refusal: "No." }], text: "No." },
    {
      name: "an image on a line of its own",
      content: [{ type: "text", text: "What?" }, image, { type: "text", text: "Tell." }],
      text: "What?\n[image]\nTell.",
    },
    { name: "audio", content: [{ type: "input_audio", input_audio: { data: "AAAA" } }], text: "[audio]" },
    { name: "a file", content: [{ type: "input_file", file_id: "f" }], text: "[file]" },
    { name: "a document", content: [{ type: "document", source: { data: "AAAA" } }], text: "[document]" },
    { name: "a file that is an image", content: [{ type: "file", mediaType: "image/png" }], text: "[image]" },
    {
      name: "inline video",
      content: { parts: [{ inlineData: { mimeType: "video/mp4" } }] },
      text: "[video]",
    },
    { name: "inline PDF", content: [{ inlineData: { mimeType: "application/pdf" } }], text: "[file]" },
    { name: "linked audio", content: [{ fileData: { mimeType: "audio/wav" } }], text: "[audio]" },
    {
      name: "an image that a model made",
      content: { type: "image_generation_call", result: "AA" },
      text: "[image]",
    },
    { name: "an unknown part", content: [{ type: "web_search_call", id: "w" }], text: "[web_search_call]" },
    {
      name: "a data URL inside a text",
      content: "a data:image/gif;base64,R0lG b",
      text: "a [image/gif removed] b",
    },
    {
      name: "an OpenAI message that calls tools",
      content: {
        role: "assistant",
        content: "Wait.",
        tool_calls: [{ id: "1", type: "function", function: { name: "find", arguments: '{"q":1}' } }],
      },
      text: 'Wait.\n[tool_call find({"q":1})]',
    },
    {
      name: "an OpenAI message that refuses",
      content: { role: "assistant", content: null, refusal: "No.", tool_calls: null },
      text: "No.",
    },
    {
      name: "an OpenAI message with audio",
      content: { role: "assistant", content: null, audio: { data: "AA", transcript: "Hello." } },
      text: "Hello.",
    },
    {
      name: "items of the responses API",
      content: [
        { type: "reasoning", summary: [] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] },
        { type: "function_call", name: "find", arguments: "{}", call_id: "1" },
        { type: "function_call_output", call_id: "1", output: "42" },
      ],
      text: "Done.\n[tool_call find({})]\n42",
    },
    {
      name: "Anthropic blocks",
      content: [
        { type: "thinking", thinking: "Hm.", signature: "s" },
        { type: "tool_use", id: "1", name: "find", input: { q: 1 } },
        { type: "tool_result", tool_use_id: "1", content: [{ type: "text", text: "42" }, { type: "image" }] },
        { type: "text", text: "And?" },
      ],
      text: '[tool_call find({"q":1})]\n42\n[image]\nAnd?',
    },
    {
      name: "Google parts",
      content: {
        role: "model",
        parts: [
          { text: "Hm.", thought: true },
          { text: "Wait." },
          { functionCall: { name: "find", args: { q: 1 } } },
          { functionCall: { name: "now" } },
          { functionResponse: { name: "find", response: { found: 42 } } },
        ],
      },
      text: 'Wait.\n[tool_call find({"q":1})]\n[tool_call now({})]\n{"found":42}',
    },
    {
      name: "AI SDK parts",
      content: [
        { type: "reasoning", text: "Hm." },
        { type: "tool-call", toolCallId: "1", toolName: "find", input: '{"q":1}' },
        { type: "tool-result", toolName: "find", output: { type: "json", value: { found: 42 } } },
        {
          type: "tool-result",
          toolName: "find",
          output: { type: "content", value: [{ type: "text", text: "a" }] },
        },
        { type: "tool-result", toolName: "find", output: { type: "text", value: "b" } },
      ],
      text: '[tool_call find({"q":1})]\n{"found":42}\na\nb',
    },
  ])("reads $name", ({ content, text }) => expect(contentText(content)).toBe(text));
});

describe("messagesText", () => {
  const user = { role: "user", content: "Hi" };
  test.each([
    { name: "a lone string is itself", messages: "Hi", text: "Hi" },
    { name: "a lone message of the user is its text", messages: [user], text: "Hi" },
    {
      name: "a lone message of another role has it",
      messages: [{ role: "tool", content: "x" }],
      text: "tool: x",
    },
    {
      name: "parts are not treated as a plain string",
      messages: [{ ...user, content: [{ text: "Hi" }] }],
      text: "user: Hi",
    },
    {
      name: "messages are set apart",
      messages: [user, { role: "assistant", content: "Yo" }],
      text: "user: Hi\n\nassistant: Yo",
    },
    {
      name: "the system comes first",
      messages: "Hi",
      system: "Be kind.",
      text: "system: Be kind.\n\nuser: Hi",
    },
    {
      name: "a system may be blocks",
      messages: [user],
      system: [{ type: "text", text: "B" }],
      text: "system: B\n\nuser: Hi",
    },
    {
      name: "an item without a role has none",
      messages: [user, { type: "function_call", name: "f", arguments: "{}" }],
      text: "user: Hi\n\n[tool_call f({})]",
    },
    { name: "no messages give no text", messages: undefined, text: "" },
  ])("$name", ({ messages, system, text }) => expect(messagesText(messages, system)).toBe(text));
});

describe("hostile shapes neither throw nor take long", () => {
  const ring: unknown[] = [];
  const ringOfRings = { role: "user", content: ring };
  for (let i = 0; i < 50; i++) ring.push(ringOfRings, ring, "");
  const deep = JSON.parse(`${'{"content":['.repeat(5_000)}"x"${"]}".repeat(5_000)}`);
  const thrower = new Proxy({}, { get: () => fail(), ownKeys: () => fail() });
  const cyclicArguments: Record<string, unknown> = {};
  cyclicArguments.self = cyclicArguments;
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  test.each([
    { name: "a ring", value: ring },
    { name: "deep nesting", value: deep },
    { name: "getters that throw", value: ["before", thrower] },
    { name: "a revoked proxy", value: proxy },
    { name: "circular arguments", value: [{ type: "tool_use", name: "f", input: cyclicArguments }] },
    { name: "10 MB of text", value: "data:".repeat(2_000_000) },
    { name: "10 MB of a media type", value: `data:${"a".repeat(10_000_000)}` },
    { name: "10 MB of an image inside a text", value: `data:image/png;base64,${"A".repeat(10_000_000)}` },
    { name: "10 MB of parameters", value: `data:a/b${";a".repeat(5_000_000)};base64,` },
    { name: "a million messages", value: new Array(1_000_000).fill({ role: "user", content: "x" }) },
    { name: "a million empty parts", value: new Array(1_000_000).fill("") },
    { name: "a symbol", value: Symbol("x") },
    { name: "a type that is not text", value: { type: Symbol("x") } },
  ])("$name", ({ value }) => {
    for (const read of [
      contentText,
      messagesText,
      (content: unknown) => messagesText([{ role: "user", content }]),
    ]) {
      expect(bytesOf(boundText(read(value)))).toBeLessThanOrEqual(MAX_BYTES);
    }
  });

  test.each([
    { name: "messages", read: messagesText, content: "x" },
    { name: "empty messages", read: messagesText, content: "" },
    { name: "parts", read: contentText, content: "x" },
    { name: "empty parts", read: contentText, content: "" },
  ])("reads no more of a million $name than it keeps", ({ read, content }) => {
    let looks = 0;
    const counted = {
      role: "user",
      get content() {
        looks++;
        return content;
      },
    };
    read(new Array(1_000_000).fill(counted));
    expect(looks).toBeLessThan(50_000);
  });

  test("what was read before the error is kept", () => {
    expect(contentText(["before", thrower])).toBe("before");
  });
});

function fail(): never {
  throw new Error("hostile");
}
