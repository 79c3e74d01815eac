import { describe, expect, test } from "vitest";
import type { Json } from "../json.ts";
import { cutText, messagesText, numberedText, parseBounded } from "./message-text.ts";

const user = { role: "user", content: "Hi" };

describe("the text of messages", () => {
  test.each<readonly [string, Json, string]>([
    ["a text", "Hello", "Hello"],
    ["a text that looks like JSON", "[not JSON", "[not JSON"],
    ["nothing", null, ""],
    ["a number", 5, "5"],
    ["a single message is its text", [user], "Hi"],
    ["as JSON", JSON.stringify([user]), "Hi"],
    ["an object with messages", JSON.stringify({ messages: [user], tools: [] }), "Hi"],
    ["several", [{ role: "system", content: "Be kind." }, user], "system: Be kind.\n\nuser: Hi"],
    ["without a role", [{ content: "A" }, "B"], "A\n\nB"],
    ["OpenTelemetry's parts", [{ role: "user", parts: [{ type: "text", content: "Hi" }] }], "Hi"],
    [
      "text and media",
      [
        {
          role: "user",
          content: [
            { type: "text", text: "Look" },
            { type: "image_url", image_url: {} },
          ],
        },
      ],
      "Look\n[image]",
    ],
    [
      "reasoning is left out",
      [
        {
          role: "assistant",
          parts: [
            { type: "reasoning", content: "hm" },
            { type: "thinking", content: "hm" },
            { type: "text", content: "Yes" },
          ],
        },
      ],
      "Yes",
    ],
    ["a refusal", [{ role: "assistant", content: [{ type: "refusal", refusal: "No" }] }], "No"],
    [
      "a tool of OpenTelemetry",
      [{ role: "assistant", parts: [{ type: "tool_call", name: "look", arguments: { q: 1 } }] }],
      '[tool_call look({"q":1})]',
    ],
    [
      "a tool of OpenAI",
      {
        role: "assistant",
        content: null,
        tool_calls: [{ function: { name: "look", arguments: '{"q":1}' } }],
      },
      '[tool_call look({"q":1})]',
    ],
    [
      "a tool of the AI SDK",
      [{ type: "tool-call", toolName: "look", input: { q: 1 } }],
      '[tool_call look({"q":1})]',
    ],
    ["a tool without arguments", [{ role: "assistant", parts: [{ name: "look" }] }], "[tool_call look({})]"],
    ["a completion", { choices: [{ message: { role: "assistant", content: "Yes" } }] }, "Yes"],
    [
      "an answer of Responses",
      {
        object: "response",
        output: [
          { type: "reasoning", summary: [] },
          { type: "message", role: "assistant", content: [{ type: "output_text", text: "Yes" }] },
        ],
      },
      "Yes",
    ],
    ["a list of them", [{ object: "response", output: ["Yes", { text: "No" }] }], "Yes\n\nNo"],
    [
      "a response of another kind",
      { object: "response", output: "Yes" },
      '{"object":"response","output":"Yes"}',
    ],
    ["an output of anything else", { output: ["Yes"] }, '{"output":["Yes"]}'],
    ["anything else is its JSON", [{ strange: 1 }], '{"strange":1}'],
    ["a list in a list", [[1]], "1"],
  ])("%s", (_name, value, expected) => expect(messagesText(value)).toBe(expected));
});

describe("messages in numbered attributes", () => {
  const openInference = { head: "m.#.message", part: "contents.*.text", tool: "tool_calls.*.function" };
  test("have texts, parts and calls of tools", () => {
    const attributes = new Map<string, string>([
      ["m.0.message.role", "user"],
      ["m.0.message.content", "Hi"],
      ["m.1.message.role", "assistant"],
      ["m.1.message.contents.0.text", "Let me"],
      ["m.1.message.contents.1.text", "look."],
      ["m.1.message.tool_calls.0.function.name", "look"],
      ["m.1.message.tool_calls.0.function.arguments", "{}"],
      ["m.1.message.tool_calls.1.function.name", "think"],
      ["m.1.message.tool_calls.2.function.name", "write"],
      ["m.3.message.role", "unreached"],
    ]);
    expect(numberedText(attributes, openInference)).toBe(
      "user: Hi\n\nassistant: Let me\n[tool_call look({})]\nlook.\n[tool_call think({})]\n[tool_call write({})]",
    );
  });

  test("may have no parts, and no role", () => {
    const attributes = new Map([["p.0.content", "Hi"]]);
    expect(numberedText(attributes, { head: "p.#", part: null, tool: "tool_calls.*" })).toBe("Hi");
    expect(numberedText(new Map(), openInference)).toBe("");
  });

  test("may have their text twice, and a single call without a number", () => {
    const attributes = new Map([
      ["m.0.message.content", "Yes"],
      ["m.0.message.contents.0.text", "Yes"],
      ["m.0.message.contents.1.text", "No"],
      ["m.1.message.function_call.name", "look"],
      ["m.1.message.function_call.arguments", "{}"],
    ]);
    expect(numberedText(attributes, openInference)).toBe("Yes\nNo\n\n[tool_call look({})]");
  });

  test("a thousand are read", () => {
    const many = new Map(
      Array.from({ length: 1_100 }, (_, at): [string, string] => [`p.${at}.content`, String(at)]),
    );
    const text = numberedText(many, { head: "p.#", part: null, tool: "t.*" });
    expect(text.split("\n\n")).toHaveLength(1_000);
    const parts = new Map(
      Array.from({ length: 1_100 }, (_, at): [string, string] => [`m.0.message.contents.${at}.text`, "x"]),
    );
    expect(numberedText(parts, openInference).split("\n")).toHaveLength(1_000);
  });
});

test("a text is cut to what an event holds, at a character", () => {
  const max = 256 * 1024;
  expect(cutText("a".repeat(max - 8))).toHaveLength(max - 8);
  const cut = cutText("é".repeat(max));
  expect(cut.endsWith("é…[cut]")).toBe(true);
  expect(new TextEncoder().encode(cut).length).toBeLessThanOrEqual(max);
});

test("JSON of any depth is bounded", () => {
  expect(parseBounded("[".repeat(1_000_000))).toBeNull();
  // Of a short text, its length bounds it.
  const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  expect(parseBounded(nested(2_000))).not.toBeNull();
  expect(parseBounded(nested(2_001))).toBeNull();
  expect(parseBounded("{")).toBeNull();
  expect(parseBounded('{"a":1}')).toEqual({ a: 1 });
});
