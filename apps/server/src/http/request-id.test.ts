import { expect, test } from "vitest";
import { requestIdOf } from "./request-id.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

test("a proxy's sound id is kept", () => {
  const id = "01JD_trace.7f3a-9";
  expect(requestIdOf({ headers: { "x-request-id": id } })).toBe(id);
});

test.each([
  { name: "none", given: undefined },
  { name: "an empty one", given: "" },
  { name: "one that is too short to tell requests apart", given: "1234567" },
  { name: "one that is too long", given: "a".repeat(65) },
  { name: "one with a line break", given: "abcdefgh\nadmin: true" },
  { name: "one with markup", given: "<script>alert(1)</script>" },
  { name: "an API key", given: `svc_sk_${"a".repeat(32)}` },
  { name: "one in another alphabet", given: "идентификатор" },
])("another is made instead of $name", ({ given }) => {
  expect(requestIdOf({ headers: given === undefined ? {} : { "x-request-id": given } })).toMatch(UUID);
});
