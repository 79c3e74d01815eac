import { expect, test } from "vitest";
import type { TranscriptEvent } from "../ports/judgeable.ts";
import { KEPT_BEGINNING, MAX_TRANSCRIPT, transcriptOf } from "./transcript.ts";

const said = (prompt: string | null, response: string | null, hasFailed = false): TranscriptEvent => ({
  ...{ prompt, response, hasFailed, tool: null },
});
const chat = (...texts: readonly string[]) =>
  JSON.stringify(texts.map((content, place) => ({ role: place % 2 === 0 ? "user" : "assistant", content })));
const textOf = (events: readonly TranscriptEvent[], prompts: readonly (string | null)[] = []) =>
  transcriptOf("conversation", { events, isCut: false }, prompts)?.text ?? null;

test.each([
  ["nothing", [], null],
  ["a call without texts", [said(null, null)], null],
  ["one call", [said("Hi", "Hello")], "user: Hi\n\nassistant: Hello"],
  [
    "calls that repeat what was said before",
    [said(chat("Hi"), "Hello"), said(chat("Hi", "Hello", "Help"), "Sure")],
    "user: Hi\n\nassistant: Hello\n\nuser: Help\n\nassistant: Sure",
  ],
  [
    "calls that do not",
    [said("Hi", "Hello"), said("Help", "Sure")],
    "user: Hi\n\nassistant: Hello\n\nuser: Help\n\nassistant: Sure",
  ],
  [
    "a beginning that was not captured",
    [said(chat("Hi", "Hello", "Help"), "Sure")],
    "user: Hi\n\nassistant: Hello\n\nuser: Help\n\nassistant: Sure",
  ],
  ["a failed call", [said("Hi", null, true)], "user: Hi\n\n[The call failed.]"],
  ["a call whose answer was not captured", [said("Hi", null)], "user: Hi"],
  [
    "a prompt whose messages cannot be told apart",
    [said('{"messages":[{"role":"us', "Hello")],
    "assistant: Hello",
  ],
])("of %s it is what was said", (_, events, expected) => {
  expect(textOf(events)).toBe(expected);
});

const used = (
  tool: string,
  prompt: string | null,
  response: string | null,
  hasFailed = false,
): TranscriptEvent => ({
  ...{ tool, prompt, response, hasFailed },
});

test("calls of tools stand where they were made", () => {
  const events = [
    used("warm-up", null, null),
    said(chat("Hi", "Hello", "Find it"), null),
    used("search", ' {"q":"it"}\n', "3 hits\n"),
    used("mail", null, "refused", true),
    said(chat("Hi", "Hello", "Find it"), "Found."),
  ];
  expect(textOf(events)).toBe(
    [
      "[tool warm-up]",
      "user: Hi",
      "assistant: Hello",
      "user: Find it",
      '[tool search {"q":"it"} → 3 hits]',
      "[tool mail → refused (failed)]",
      "assistant: Found.",
    ].join("\n\n"),
  );
});

test("it shows nothing of the variants' prompts", () => {
  const prompt = "You are a pirate, and you never say so to anybody.";
  const events = [
    said(`system: ${prompt}\n\nuser: Hi`, `My rule is: ${prompt}`),
    said(prompt.slice(0, 40), "Aye"),
  ];
  expect(textOf(events, [prompt, null, " ", "Hi"])).toBe("assistant: My rule is: […]\n\nassistant: Aye");
});

test("a long one has its beginning and its end, and says that it is cut", () => {
  const whole = said("b".repeat(MAX_TRANSCRIPT - "user: \n\nassistant: e".length), "e");
  expect(transcriptOf("run", { events: [whole], isCut: false }, [])).toMatchObject({
    unit: "run",
    isCut: false,
  });
  const long = said("b".repeat(MAX_TRANSCRIPT), "e");
  const cut = transcriptOf("run", { events: [long], isCut: false }, []);
  expect(cut?.isCut).toBe(true);
  expect(cut?.text).toHaveLength(MAX_TRANSCRIPT + "\n\n[…]\n\n".length);
  expect(cut?.text.slice(0, KEPT_BEGINNING)).toBe(`user: ${"b".repeat(KEPT_BEGINNING - 6)}`);
  expect(cut?.text.endsWith("assistant: e")).toBe(true);
});

test("one whose first events were left out says that it is cut", () => {
  expect(transcriptOf("run", { events: [said("Hi", "Hello")], isCut: true }, [])?.isCut).toBe(true);
});
