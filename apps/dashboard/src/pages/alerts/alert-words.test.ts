import { expect, test } from "vitest";
import {
  answerText,
  channelState,
  deliveryState,
  messageText,
  takesText,
  targetText,
} from "./alert-words.ts";

test("a channel says where it sends and what it takes", () => {
  expect(targetText({ url: "https://h/…abcd", addresses: null })).toBe("https://h/…abcd");
  expect(targetText({ url: null, addresses: ["a@x.org", "b@x.org"] })).toBe("a@x.org, b@x.org");
  expect(targetText({ url: null, addresses: null })).toBe("Unknown: enter its address again");
  expect(takesText({ types: null })).toBe("All alerts");
  expect(takesText({ types: ["experiment.srm", "usage.80"] })).toBe(
    "The traffic split is wrong; 80% of the monthly events are used",
  );
});

test.each([
  [{ on: false, failing_since: "2026-01-01T00:00:00Z" }, "Off"],
  [{ on: true, failing_since: "2026-01-01T00:00:00Z" }, "Failing"],
  [{ on: true, failing_since: null }, "On"],
])("the channel %j is %s", (channel, word) => {
  expect(channelState(channel).word).toBe(word);
});

test.each([
  [{ status: "waiting", attempts: 0 }, "Waiting"],
  [{ status: "waiting", attempts: 2 }, "Trying again"],
  [{ status: "delivered", attempts: 1 }, "Delivered"],
  [{ status: "failed", attempts: 12 }, "Failed"],
] as const)("the delivery %j is %s", (delivery, word) => {
  expect(deliveryState(delivery).word).toBe(word);
});

test.each([
  [{ code: null, answer: null }, "Not sent yet"],
  [{ code: 204, answer: "" }, "204: no text"],
  [{ code: null, answer: "The connection was refused." }, "The connection was refused."],
])("the answer %j reads %s", (delivery, text) => {
  expect(answerText(delivery)).toBe(text);
});

test("a message names its experiment", () => {
  const timestamp = "2026-01-01T00:00:00Z";
  const data = { experiment: { id: "e", name: "tone" }, day: "2026-01-01", p_value: 0 };
  expect(messageText({ type: "experiment.srm", timestamp, data })).toBe("tone: The traffic split is wrong");
  expect(messageText({ type: "test", timestamp, data: { channel: "c" } })).toBe("Test message");
});
