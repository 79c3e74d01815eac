import { expect, test } from "vitest";
import { charactersOf, inputText, messagesFor } from "./input-text.ts";

const question = { role: "user", text: "And 7?" } as const;
const talk = [{ role: "user", text: "5?" }, { role: "assistant", text: "35." }, question] as const;

test("an arm is sent its prompt and the conversation", () => {
  expect(messagesFor({ prompt: "Answer." }, { messages: talk })).toEqual([
    { role: "system", content: "Answer." },
    { role: "user", content: "5?" },
    { role: "assistant", content: "35." },
    { role: "user", content: "And 7?" },
  ]);
  expect(messagesFor({ prompt: null }, { messages: [question] })).toEqual([
    { role: "user", content: "And 7?" },
  ]);
});

test("the judge reads a message alone, or the conversation by roles", () => {
  expect(inputText({ messages: [question] })).toBe("And 7?");
  expect(inputText({ messages: talk })).toBe("user: 5?\n\nassistant: 35.\n\nuser: And 7?");
  expect(inputText({ messages: [] })).toBe("");
});

test("characters are those of the input and of what is known to be good", () => {
  expect(charactersOf({ messages: talk, reference: null })).toBe(11);
  expect(charactersOf({ messages: talk, reference: "49" })).toBe(13);
});
