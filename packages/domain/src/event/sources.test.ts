import { expect, test } from "vitest";
import { clientOf, EVENT_SOURCES, isPublic } from "./sources.ts";

test("only a publishable key is public", () => {
  expect(EVENT_SOURCES.filter(isPublic)).toEqual(["publishable"]);
  expect(isPublic(null)).toBe(false);
});

test.each([
  { userAgent: "assay-python/1.2.0", client: "assay-python/1.2.0" },
  { userAgent: "assay-typescript/1.0.0-rc.1+7", client: "assay-typescript/1.0.0-rc.1+7" },
  { userAgent: undefined, client: null },
  { userAgent: "", client: null },
  { userAgent: "Mozilla/5.0", client: null },
  { userAgent: "assay-python", client: null },
  { userAgent: "assay-python/1.2.0 of somebody", client: null },
  { userAgent: "Assay-Python/1.2.0", client: null },
  {
    userAgent: `assay-${"a".repeat(20)}/${"1".repeat(40)}`,
    client: `assay-${"a".repeat(20)}/${"1".repeat(40)}`,
  },
  { userAgent: `assay-${"a".repeat(21)}/1`, client: null },
  { userAgent: `assay-a/${"1".repeat(41)}`, client: null },
])("the User-Agent $userAgent names the client $client", ({ userAgent, client }) => {
  expect(clientOf(userAgent)).toBe(client);
});
