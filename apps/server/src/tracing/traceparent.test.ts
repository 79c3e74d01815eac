import { expect, test } from "vitest";
import { parseTraceparent, toTraceparent } from "./traceparent.ts";

const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const span = "00f067aa0ba902b7";

test("a traceparent is read and written back", () => {
  const text = `00-${trace}-${span}-01`;
  const context = parseTraceparent(text);
  expect(context).toEqual({ traceId: trace, spanId: span, traceFlags: 1, isRemote: true });
  expect(context && toTraceparent(context)).toBe(text);
});

test("of a later version the part that is known is read", () => {
  expect(parseTraceparent(`01-${trace}-${span}-00-more`)).toMatchObject({ spanId: span, traceFlags: 0 });
});

test.each([
  { name: "nothing", text: undefined },
  { name: "several", text: [`00-${trace}-${span}-01`] },
  { name: "an unknown version", text: `ff-${trace}-${span}-01` },
  { name: "capital letters", text: `00-${trace.toUpperCase()}-${span}-01` },
  { name: "no trace", text: `00-${"0".repeat(32)}-${span}-01` },
  { name: "no span", text: `00-${trace}-${"0".repeat(16)}-01` },
  { name: "too short an id", text: `00-${trace.slice(1)}-${span}-01` },
  { name: "a text without end", text: `00-${trace}-${span}-01-${"x".repeat(10_000)}` },
])("$name is not a traceparent", ({ text }) => expect(parseTraceparent(text)).toBeNull());
