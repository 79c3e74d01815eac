import { expect, test } from "vitest";
import type { ChatTurn } from "../judge/chat-turns.ts";
import { MAX_ITEM_CHARACTERS } from "./dataset.ts";
import { inputOf, inputOfPrompt } from "./dataset-input.ts";

const user = (text: string): ChatTurn => ({ role: "user", text });
const assistant = (text: string): ChatTurn => ({ role: "assistant", text });

test.each<{ name: string; turns: readonly ChatTurn[]; input: unknown }>([
  { name: "one message", turns: [user("Hi")], input: [user("Hi")] },
  {
    name: "a chat with its answer",
    turns: [user("Hi"), assistant("Yes?"), user(" Why? "), assistant("So.")],
    input: [user("Hi"), assistant("Yes?"), user(" Why? ")],
  },
  {
    name: "turns of tools",
    turns: [user("Hi"), assistant(""), user(" \n"), assistant("So.")],
    input: [user("Hi")],
  },
  { name: "no message of a user", turns: [assistant("So.")], input: "no-user-message" },
  { name: "nothing", turns: [], input: "no-user-message" },
  {
    name: "the longest input",
    turns: [user("x"), user("y".repeat(MAX_ITEM_CHARACTERS - 1))],
    input: [user("x"), user("y".repeat(MAX_ITEM_CHARACTERS - 1))],
  },
  { name: "more", turns: [user("x"), user("y".repeat(MAX_ITEM_CHARACTERS))], input: "too-long" },
])("makes an input of $name", ({ turns, input }) => {
  expect(inputOf(turns)).toEqual(input);
});

const PROMPT = "You are the assistant of a shop. Answer in one sentence.";

test.each<{ name: string; prompt: string; input: unknown }>([
  { name: "a plain text", prompt: "Where is my order?", input: [user("Where is my order?")] },
  {
    name: "messages of a provider",
    prompt: JSON.stringify([
      { role: "system", content: PROMPT },
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Yes?" },
      { role: "user", content: [{ type: "text", text: "Why?" }] },
    ]),
    input: [user("Hi"), assistant("Yes?"), user("Why?")],
  },
  { name: "logged lines", prompt: `system: ${PROMPT}\n\nuser: Hi`, input: [user("Hi")] },
  { name: "a text behind the variant's prompt", prompt: `${PROMPT}\n\nHi`, input: [user("Hi")] },
  { name: "the variant's prompt alone", prompt: PROMPT, input: null },
  { name: "messages that were cut off", prompt: '[{"role": "user", "content": "H', input: null },
  { name: "a text that is too long", prompt: "x".repeat(MAX_ITEM_CHARACTERS + 1), input: null },
])("reads $name", ({ prompt, input }) => {
  expect(inputOfPrompt(prompt, [PROMPT, " "])).toEqual(input);
});
