import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Attribution, Exposure } from "../attribution/attribute.ts";
import { checkEvent, flattenEvent } from "./check-event.ts";
import { toStoredEvent } from "./to-stored-event.ts";

interface EventCase {
  readonly name: string;
  readonly row: unknown;
  readonly accepted_by_service?: boolean;
  readonly stored?: Readonly<Record<string, unknown>>;
}

const vectors = new URL("../../../../vectors/event.json", import.meta.url);
const { now, cases } = JSON.parse(readFileSync(vectors, "utf8"), unmark) as {
  now: number;
  cases: EventCase[];
};
const sent = cases.filter(({ row }) => row !== null);

/** Resolves the marker for a string that is awkward in JSON. Rows contain no other markers. */
function unmark(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("$" in value)) return value;
  if (value.$ === "utf16" && "units" in value) return String.fromCharCode(...(value.units as number[]));
  if (value.$ === "repeat" && "text" in value && "times" in value) {
    return String(value.text).repeat(Number(value.times));
  }
  return value;
}

describe("event.json", () => {
  test.each(sent)("the service's verdict: $name", ({ row, accepted_by_service }) => {
    expect(checkEvent(flattenEvent(row)!, now) === null).toBe(accepted_by_service);
  });

  test.each(sent.filter(({ stored }) => stored !== undefined))(
    "as it is stored: $name",
    ({ row, stored }) => {
      const context = {
        orgId: "o",
        experimentId: "x",
        receivedAt: now,
        provenance: null,
        attribute: byBucketing,
      };
      const event = toStoredEvent(flattenEvent(row)!, context);
      const fields = Object.entries({ ...event, metadata: JSON.parse(event.metadata ?? "null") });
      const wire = Object.fromEntries(fields.map(([field, value]) => [snakeCase(field), value]));
      for (const [field, value] of Object.entries(stored!)) expect(wire[field], field).toEqual(value);
    },
  );
});

/** An experiment whose map gives every user the same variant. */
const byBucketing = ({ variant }: Exposure): Attribution => ({
  arm: variant ?? "by-bucketing",
  owner: "by-bucketing",
  reason: null,
});

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
