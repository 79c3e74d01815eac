import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blindCall } from "./blind-call.ts";

const SYSTEM = "You are a terse assistant of a bank.\nNever say more than one sentence.";
const OTHER = "You are a talkative assistant of a bank.\nExplain everything twice.";

function inputOf(prompt: string | null, prompts: readonly (string | null)[] = [SYSTEM, OTHER, null, " "]) {
  return blindCall({ prompt, response: "Yes." }, prompts).input;
}

describe("of JSON messages, only what users and the model said remains", () => {
  const turns = "user: Hi\n\nassistant: Yo\n\nuser: Why?";
  test.each([
    {
      name: "OpenAI's",
      prompt: [
        { role: "developer", content: SYSTEM },
        { role: "user", content: "Hi" },
        { role: "assistant", content: null, tool_calls: [{ function: { name: "f" } }] },
        { role: "tool", content: "42" },
        { role: "assistant", content: "Yo" },
        { role: "user", content: [{ type: "text", text: "Why?" }] },
      ],
      input: turns,
    },
    {
      name: "OpenAI's responses",
      prompt: {
        instructions: SYSTEM,
        input: [
          { role: "user", content: [{ type: "input_text", text: "Hi" }] },
          { type: "function_call", name: "f", arguments: "{}" },
          { type: "reasoning", summary: [] },
          { type: "message", role: "assistant", content: [{ type: "output_text", text: "Yo" }] },
          { role: "user", content: "Why?" },
        ],
      },
      input: turns,
    },
    { name: "a lone text of OpenAI's responses", prompt: { instructions: SYSTEM, input: "Hi" }, input: "Hi" },
    {
      name: "Anthropic's",
      prompt: {
        system: [{ type: "text", text: SYSTEM }],
        messages: [
          { role: "user", content: "Hi" },
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "Hm." },
              { type: "text", text: "Yo" },
              { type: "tool_use", name: "f", input: {} },
            ],
          },
          { role: "user", content: [{ type: "tool_result", content: "42" }] },
          { role: "user", content: "Why?" },
        ],
      },
      input: turns,
    },
    {
      name: "Gemini's",
      prompt: {
        systemInstruction: { parts: [{ text: SYSTEM }] },
        contents: [
          { role: "user", parts: [{ text: "Hi" }] },
          { role: "model", parts: [{ text: "Hm.", thought: true }, { text: "Yo" }] },
          { parts: [{ text: "Why?" }] },
        ],
      },
      input: turns,
    },
    {
      name: "a refusal and a thought",
      prompt: [
        {
          role: "assistant",
          content: [
            { type: "refusal", refusal: "No." },
            { type: "reasoning", text: "Hm." },
          ],
        },
      ],
      input: "assistant: No.",
    },
    {
      name: "media by their names",
      prompt: [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: "data:" } },
            { inlineData: { mimeType: "x" } },
            { fileData: {} },
            { type: "text", text: "Why?" },
            7,
          ],
        },
      ],
      input: "[image]\n[file]\n[file]\nWhy?",
    },
    { name: "nothing of an unknown role", prompt: [{ role: "constructor", content: SYSTEM }], input: null },
    { name: "nothing", prompt: [{ role: "system", content: SYSTEM }], input: null },
  ])("$name", ({ prompt, input }) => expect(inputOf(JSON.stringify(prompt))).toBe(input));
});

describe("of prompts logged by the client libraries, only what users and the model said remains", () => {
  test.each([
    { name: "the user after the system", prompt: `system: ${SYSTEM}\n\nuser: Hi`, input: "Hi" },
    { name: "an unknown system", prompt: "system: Be kind.\n\nuser: Hi\n\ntool: 42", input: "Hi" },
    {
      name: "turns",
      prompt: "user: Hi\n\nmodel: Yo\n\nuser: Why?",
      input: "user: Hi\n\nassistant: Yo\n\nuser: Why?",
    },
    { name: "a lone text of the user", prompt: "Hi there", input: "Hi there" },
    { name: "the system alone", prompt: `system: ${SYSTEM}`, input: null },
    { name: "no prompt", prompt: null, input: null },
    { name: "an empty prompt", prompt: " ", input: null },
    {
      name: "a system message that is the prompt with turns in it",
      prompt: "system: Like so:\n\nuser: A\n\nmodel: B\n\nuser: Hi",
      prompts: ["Like so:\n\nuser: A\n\nmodel: B"],
      input: "Hi",
    },
    { name: "words before a message", prompt: "Note\n\nuser: Hi", input: "Note\n\nuser: Hi" },
  ])("$name", ({ prompt, prompts, input }) => expect(inputOf(prompt, prompts)).toBe(input));
});

describe("a variant's prompt in the user's text", () => {
  const template = "Translate for a child: {{text}}\nUse short words only, please.";
  test.each([
    { name: "is cut out", prompt: `${SYSTEM}\n\nMay I?`, input: "May I?" },
    { name: "is cut out every time it occurs", prompt: `${SYSTEM} a ${SYSTEM} b`, input: "a  b" },
    {
      name: "is cut out of a message in JSON",
      prompt: JSON.stringify([{ role: "user", content: `${SYSTEM}\nMay I?` }]),
      input: "May I?",
    },
    {
      name: "is cut out of JSON that is not a chat",
      prompt: JSON.stringify({ task: SYSTEM, text: "May I?" }),
      input: '{"task":"","text":"May I?"}',
    },
    {
      name: "leaves the filled-in values",
      prompt: "Translate for a child: cats\nUse short words only, please.",
      prompts: [template],
      input: "cats",
    },
    { name: "that is all there is leaves nothing", prompt: SYSTEM, input: null },
    {
      name: "that occurs only in part hides the whole text",
      prompt: "You are a terse assistant of a bank.\nMay I?",
      input: null,
    },
    {
      name: "that was filled in in an unknown way hides the whole text",
      prompt: "Use short words only, please. Cats",
      prompts: [template],
      input: null,
    },
    {
      name: "is not cut out of the middle of other words",
      prompt: "History. Hi! Sushi",
      prompts: ["Hi"],
      input: "History. ! Sushi",
    },
    {
      name: "that is only a placeholder leaves the user's text",
      prompt: "May I?",
      prompts: ["{{question}}"],
      input: "May I?",
    },
    {
      name: "is cut out before a shorter one that is a part of it",
      prompt: "Be brief. Be kind. Hi",
      prompts: ["Be brief.", "Be brief. Be kind."],
      input: "Hi",
    },
  ])("$name", ({ prompt, prompts, input }) => expect(inputOf(prompt, prompts)).toBe(input));
});

describe("ambiguous JSON is left out", () => {
  test.each([
    { name: "messages that were cut off", prompt: '[{"role":"system","content":"Be k…[cut]' },
    {
      name: "instructions beside texts of another shape",
      prompt: '{"system_prompt":"Be kind.","question":"Hi"}',
    },
  ])("$name", ({ prompt }) => expect(inputOf(prompt)).toBeNull());

  test.each(['{"question":"Hi"}', "[1,2]", "[]", "{hello}", '["Hi"]', "[link] Hi"])(
    "but %s is a text",
    (prompt) => {
      expect(inputOf(prompt)).toBe(prompt);
    },
  );
});

test("an answer keeps its words, but a prompt that it reveals is removed", () => {
  const answerOf = (response: string) => blindCall({ prompt: null, response }, [SYSTEM, "Yes."]).answer;
  expect(answerOf("Yes. I can.")).toBe("Yes. I can.");
  expect(answerOf(`My orders are: ${SYSTEM} Well.`)).toBe("My orders are: […] Well.");
});

test("no prompt of a variant is ever visible, in any role", () => {
  const words = fc.stringMatching(/^[a-z]{8,12}( [a-z]{8,12}){3,8}$/);
  fc.assert(
    fc.property(words, words, fc.constantFrom("user", "system", "assistant"), (prompt, said, role) => {
      const shapes = [
        JSON.stringify([
          { role, content: `${prompt}\n${said}` },
          { role: "user", content: "Hi" },
        ]),
        `${role}: ${prompt}\n${said}\n\nuser: Hi`,
        `${prompt} ${said}`,
      ];
      for (const shape of shapes) expect(inputOf(shape, [prompt]) ?? "").not.toContain(prompt);
    }),
  );
});

// If the work grew with the square of the size, these would not end within the test's time.
test.each(["{{a}}", "user: a\n\n", '[{"role":"user","content":"', '"role" ', "a b ", "{", "{ ", " ", "\n"])(
  "a long text of %j is read, and so is a prompt of it",
  (unit) => {
    const text = unit.repeat(Math.floor(262_144 / unit.length));
    const prompts = [`{${text}`, text.slice(0, 100_000), `{{${text}}}x`, "a {{b}} a"];
    expect(() => blindCall({ prompt: text, response: text }, prompts)).not.toThrow();
  },
);

test("a prompt that differs from a long text in the middle is searched for, and so are many lines", () => {
  const long = "a".repeat(131_072);
  const prompts = [
    `${long}b${long}`,
    ...Array.from({ length: 20 }, (_, i) => `${"a".repeat(20_000)}${i}${"a".repeat(20_000)}`),
  ];
  const lines = Array.from({ length: 9_000 }, (_, i) => `${"a".repeat(23)}${i}`).join("\n");
  const text = long + long;
  expect(blindCall({ prompt: text, response: text }, prompts)).toEqual({ input: null, answer: text });
  expect(inputOf(text, [lines])).toBe(text);
});

test("nested lists, however deep, are not the text of a message", () => {
  const deep = `[{"role":"user","content":${"[".repeat(100_000)}${"]".repeat(100_000)}},{"role":"user","content":"Hi"}]`;
  expect(inputOf(deep)).toBe("Hi");
});
