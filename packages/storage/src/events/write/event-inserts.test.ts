import { EVENT_FIELD_LIST, EVENT_TYPES, type StoredEvent, VALUE_FIELDS } from "@assay/domain";
import { expect, test } from "vitest";
import { storedEvent, wholeEvent } from "../../contract-tests/stored-event.ts";
import { eventInserts } from "./event-inserts.ts";

/** The inserts of events: of each, its rows by column. */
async function written(events: readonly StoredEvent[]) {
  const inserts: Record<string, unknown>[][] = [];
  for (const { columns, lines } of eventInserts(events)) {
    let text = "";
    for await (const line of lines) text += line;
    const rows = text.trimEnd().split("\n");
    inserts.push(
      rows.map((row) =>
        Object.fromEntries((JSON.parse(row) as unknown[]).map((value, i) => [columns[i]!, value])),
      ),
    );
  }
  return inserts;
}

test("leaves out columns in which no event has a value", async () => {
  const inserts = await written([storedEvent({}), storedEvent({ type: "model_call", latencyMs: 0 })]);
  const always = ["event_id", "experiment_id", "latency_ms", "occurred_at", "org_id", "received_at"];
  expect(inserts.map((rows) => rows.map((row) => Object.keys(row).sort()))).toEqual([
    [1, 2].map(() => [...always, "type", "user_id"]),
  ]);
  expect(inserts[0]!.map(({ latency_ms }) => latency_ms)).toEqual([null, 0]);
});

test("zero, false and half a surrogate pair are values, and an empty text is none", async () => {
  const event = storedEvent({ error: false, costUsd: 0, userId: "\ud800", response: "", prompt: "p" });
  const [[row]] = (await written([event])) as [[Record<string, unknown>]];
  expect(row).toMatchObject({ error: 0, cost_usd: 0, user_id: "\ufffd", prompt: "p" });
  expect(row).not.toHaveProperty("response");
});

test("writes each value of each type of event into its column, whatever sets of columns came before", async () => {
  const before = new Set<string>();
  for (const type of EVENT_TYPES)
    for (const { property } of VALUE_FIELDS) {
      const event = wholeEvent(type, { [property]: null });
      const [[row]] = (await written([event])) as [[Record<string, unknown>]];
      const withValue = EVENT_FIELD_LIST.filter((field) => (event[field.property] ?? "") !== "");
      expect(row).toEqual(
        Object.fromEntries(
          withValue.map(({ name, property, kind }) => [
            name,
            kind === "boolean" ? Number(event[property]) : event[property],
          ]),
        ),
      );
      before.add(Object.keys(row).join());
    }
  // More than there are kept functions.
  expect(before.size).toBeGreaterThan(64);
});
