import { Type } from "typebox";
import { expect, test } from "vitest";
import { Counts, Instant, JsonObjectSchema, Nullable, OneOf } from "./schemas/shared.ts";
import { type CamelCased, fromWire, toWire } from "./wire.ts";

const Part = Type.Object({ usd_per_1000_users: Type.Number() });
const Schema = Type.Object({
  event_id: Type.String(),
  judged_at: Nullable(Instant),
  n_per_arm: Counts,
  variables: Nullable(JsonObjectSchema),
  by_metric: Type.Record(Type.String(), Part),
  bin_edges: Type.Array(Type.Number()),
  all_parts: Type.Array(Part),
  note_text: Type.Optional(Type.String()),
});

const value = {
  eventId: "e",
  judgedAt: 0,
  nPerArm: { arm_one: 1, armTwo: 2 },
  variables: { max_tokens: 1, nested: { some_key: "some_value", at_time: 0 } },
  byMetric: { cost_per_user: { usdPer1000Users: 3 } },
  binEdges: [0, 1],
  allParts: [{ usdPer1000Users: 4 }],
};
const wire = {
  event_id: "e",
  judged_at: "1970-01-01T00:00:00.000Z",
  n_per_arm: { arm_one: 1, armTwo: 2 },
  variables: { max_tokens: 1, nested: { some_key: "some_value", at_time: 0 } },
  by_metric: { cost_per_user: { usd_per_1000_users: 3 } },
  bin_edges: [0, 1],
  all_parts: [{ usd_per_1000_users: 4 }],
};

test("fields are renamed and instants written; variants, metrics and a variant's variables stay as they are", () => {
  expect(toWire(Schema, value)).toEqual(wire);
});

test("what was written can be read again", () => {
  expect(fromWire(Schema, toWire(Schema, value))).toEqual(value);
});

test("null stays null, and an absent field absent", () => {
  const empty = { ...value, judgedAt: null, variables: null, noteText: undefined };
  expect(toWire(Schema, empty)).toStrictEqual({ ...wire, judged_at: null, variables: null });
});

test("a field that the schema lacks never leaves", () => {
  const stored = { ...value, orgId: "o", sealed: "secret", allParts: [{ usdPer1000Users: 4, hidden: 1 }] };
  expect(toWire(Schema, stored)).toEqual(wire);
});

test("each value of a union keeps the fields it has", () => {
  const Item = Type.Union([
    Type.Object({ kind: OneOf(["one"]), first_name: Type.String(), at: Instant }),
    Type.Object({ kind: OneOf(["two"]), org_name: Type.String(), at: Instant }),
    Type.Null(),
  ]);
  const items = [
    { kind: "one", firstName: "Ada", at: 0 },
    { kind: "two", orgName: "Acme", at: 1 },
    null,
  ] as const;
  expect(toWire(Type.Array(Item), items)).toEqual([
    { kind: "one", first_name: "Ada", at: "1970-01-01T00:00:00.000Z" },
    { kind: "two", org_name: "Acme", at: "1970-01-01T00:00:00.001Z" },
    null,
  ]);
});

test("a record may have a key that is also the name of an Object.prototype property", () => {
  const record = Object.fromEntries([["__proto__", { usdPer1000Users: 1 }]]);
  const written = toWire(Type.Record(Type.String(), Part), record);
  expect(Object.entries(written)).toEqual([["__proto__", { usd_per_1000_users: 1 }]]);
});

test("the type has the same names", () => {
  type Value = CamelCased<{
    p_value_seq: number | null;
    by_arm: Record<string, { ci_low: number }>;
    at?: string;
  }>;
  type Wanted = {
    readonly pValueSeq: number | null;
    readonly byArm: { readonly [arm: string]: { readonly ciLow: number } };
    readonly at?: string;
  };
  type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
  const isSame: Same<Value, Wanted> = true;
  expect(isSame).toBe(true);
});
