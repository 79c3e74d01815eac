import { expect, test } from "vitest";
import { flattenEvent } from "../event/check-event.ts";
import { rowsOfBody } from "../event/read-batch.ts";
import { eraseRows } from "./erase-rows.ts";

const ERASED = 'ann/"é🙂"';
const erase = (body: unknown) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const erased = eraseRows(new TextEncoder().encode(text), (id) => id === ERASED);
  return erased === null ? null : JSON.parse(new TextDecoder().decode(erased));
};

const hers = { event_id: "1", user_id: ERASED, prompt: "secret" };
const his = { event_id: "2", user_id: "bob", response: "kept" };
const nested = { event_id: "3", payload: { user_id: ERASED, prompt: "secret" } };
const shadowed = { event_id: "4", user_id: "bob", payload: { user_id: ERASED } };

test.each([
  { name: "a list", body: [his, hers, his], after: [his, null, his] },
  {
    name: "a batch with more in it",
    body: { events: [hers], client: 1 },
    after: { events: [null], client: 1 },
  },
  { name: "a nested payload", body: [nested, his], after: [null, his] },
  { name: "a payload under another id", body: [shadowed], after: [null] },
  { name: "rows that are no events", body: [5, null, "x", [], hers], after: [5, null, "x", [], null] },
  { name: "nobody's rows", body: [his, { user_id: `${ERASED} ` }, { user_id: [ERASED] }], after: null },
  { name: "an empty list", body: [], after: null },
  { name: "a body that is no batch", body: { user_id: ERASED }, after: [] },
  { name: "a body that cannot be parsed", body: `[{"user_id": "ann"`, after: [] },
])("$name", ({ body, after }) => expect(erase(body)).toEqual(after));

test("ids are compared as events are stored under them", () => {
  const body = new TextEncoder().encode('[{"user_id": "a\\ud83d"}, {"user_id": 42}]');
  const erased = (id: string) => eraseRows(body, (one) => one === id) !== null;
  expect([erased("a\ufffd"), erased("42"), erased("a")]).toEqual([true, true, false]);
});

test("erasing twice changes nothing more, and the remaining rows are read as before", () => {
  const once = new TextEncoder().encode(JSON.stringify(erase([hers, his])));
  expect(eraseRows(once, (id) => id === ERASED)).toBeNull();
  expect(rowsOfBody(JSON.parse(new TextDecoder().decode(once)))?.map(flattenEvent)).toEqual([null, his]);
});
