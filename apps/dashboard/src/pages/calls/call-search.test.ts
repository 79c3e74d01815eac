import { describe, expect, test } from "vitest";
import { eventsQuery, isFiltered, orderAfterPress, orderOf } from "./call-search.ts";

const newest = { type: "model_call", sort: "occurred_at", direction: "desc" };

describe("eventsQuery", () => {
  test.each([
    { name: "newest first when the address says nothing", search: {}, query: newest },
    {
      name: "every filter under the API's name",
      search: { variant: "concise", user: "u1", model: "m", errors: "only", source: "secret", text: "<b>" },
      query: {
        ...newest,
        ...{ variant: "concise", user_id: "u1", model: "m", error: "true", source: "secret", text: "<b>" },
      },
    },
    { name: "calls that worked", search: { errors: "none" }, query: { ...newest, error: "false" } },
    { name: "no filter that is empty", search: { user: "", text: "" }, query: newest },
    { name: "no error filter that means nothing", search: { errors: "perhaps" }, query: newest },
    { name: "no source that does not exist", search: { source: "elsewhere" }, query: newest },
    {
      name: "the order",
      search: { sort: "cost_usd", direction: "asc" },
      query: { type: "model_call", sort: "cost_usd", direction: "asc" },
    },
    { name: "newest first for an order that is unknown", search: { sort: "mood" }, query: newest },
    { name: "not the call that is open", search: { call: "e1", experiment: "x" }, query: newest },
  ])("asks for $name", ({ search, query }) => expect(eventsQuery(search)).toEqual(query));
});

test.each([
  { search: {}, filtered: false },
  { search: { sort: "cost_usd", call: "e1" }, filtered: false },
  { search: { errors: "none" }, filtered: true },
  { search: { source: "import" }, filtered: true },
])("isFiltered knows whether $search leaves calls out", ({ search, filtered }) =>
  expect(isFiltered(search)).toBe(filtered),
);

test("a press on a column sorts by its largest, a second one by its smallest", () => {
  const first = orderAfterPress(orderOf({}), "latency_ms");
  expect(first).toBe("latency_ms:desc");
  expect(orderAfterPress(first, "latency_ms")).toBe("latency_ms:asc");
  expect(orderAfterPress(first, "cost_usd")).toBe("cost_usd:desc");
});
