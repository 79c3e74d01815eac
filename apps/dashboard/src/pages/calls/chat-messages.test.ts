import { expect, test } from "vitest";
import { chatMessages } from "./chat-messages.ts";

test.each([
  { name: "a plain text is no chat", prompt: "Say hello.", messages: null },
  { name: "an empty text is no chat", prompt: "", messages: null },
  { name: "a word before a colon is no role", prompt: "note: user: hi", messages: null },
  { name: "broken JSON is no chat", prompt: '[{"role":', messages: null },
  { name: "JSON of something else is no chat", prompt: '[{"a":1}]', messages: null },
  { name: "an empty list is no chat", prompt: "[]", messages: null },
  {
    name: "messages in JSON",
    prompt: '[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]',
    messages: [
      { role: "system", text: "Be brief." },
      { role: "user", text: "Hi" },
    ],
  },
  {
    name: "messages below a key, with contents in parts",
    prompt:
      '{"messages":[{"role":"user","content":[{"type":"text","text":"Look"},{"type":"image_url","n":1}]}]}',
    messages: [{ role: "user", text: 'Look\n{\n  "type": "image_url",\n  "n": 1\n}' }],
  },
  {
    name: "a message without content",
    prompt: '[{"role":"assistant"}]',
    messages: [{ role: "assistant", text: "null" }],
  },
  {
    name: "the lines of the client libraries, blank lines inside kept",
    prompt: "system: Be brief.\n\nMostly.\n\nuser: Hi\n\nassistant: ",
    messages: [
      { role: "system", text: "Be brief.\n\nMostly." },
      { role: "user", text: "Hi" },
      { role: "assistant", text: "" },
    ],
  },
])("chatMessages: $name", ({ prompt, messages }) => expect(chatMessages(prompt)).toEqual(messages));
