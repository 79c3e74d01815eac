import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  accepts,
  assign,
  batch,
  contact,
  create,
  event,
  events,
  gzip,
  list,
  MIB,
  nested,
  rejects,
} from "./requests.ts";
import { type Attack, attack, openTarget, type Target } from "./support.ts";

/** Attacks by the bodies they send, how these are encoded, and what values are in them. */

let target: Target;
beforeAll(async () => {
  target = await openTarget();
});
afterAll(() => target.api.stop());

const bodies: readonly Attack[] = [
  { name: "brackets without end", request: events("[".repeat(MIB)), status: 400, says: "not JSON" },
  {
    name: "5 MiB of brackets in 5 KB of gzip",
    request: events(gzip("[".repeat(5 * MIB)), { "content-encoding": "gzip" }),
    status: 400,
    says: "not JSON",
  },
  {
    name: "objects 101 deep next to the events",
    request: events(`{"events":[0],"a":${'{"a":'.repeat(101)}0${"}".repeat(102)}`),
    status: 400,
    says: "100 levels",
  },
  {
    name: "empty lists by the million",
    request: events(list("[]", MIB)),
    status: 400,
    says: "more than 1,000 events",
  },
  {
    name: "objects of one name each",
    request: events(`[${Array.from({ length: 101_000 }, (_, i) => `{"k${i}":0}`).join()}]`),
    status: 400,
    says: "more than 1,000 events",
  },
  {
    name: "numbers by the million",
    request: events(list("0", 2 * MIB)),
    status: 400,
    says: "more than 1,000 events",
  },
  {
    name: "names by the half million",
    request: events(`{${Array.from({ length: 510_000 }, (_, i) => `"${i.toString(36)}":0`).join()}}`),
    status: 400,
    says: "100 names",
  },
  {
    name: "brackets hidden behind an escaped quote",
    request: events(String.raw`["\"",${nested(200)}]`),
    status: 202,
    says: "levels",
  },
  {
    name: "brackets inside a text are text",
    request: () => events(batch(event({ metadata: { a: "[{".repeat(2_000) } }))),
    ...accepts,
  },
  {
    name: "brackets without end, to assign",
    request: assign("[".repeat(60_000)),
    status: 400,
    says: "levels",
  },
  {
    name: "brackets without end, to the dashboard's plane",
    request: create("[".repeat(MIB)),
    status: 400,
    says: "levels",
  },
  {
    name: "brackets without end, without credentials",
    request: contact("[".repeat(60_000)),
    status: 400,
    says: "levels",
  },
  {
    name: "many values, to the dashboard's plane",
    request: create(list("0", 600_000)),
    status: 400,
    says: "values",
  },
  {
    name: "3,000 unknown fields, to assign",
    request: assign(`{${Array.from({ length: 3_000 }, (_, i) => `"name-${i}":${i}`).join()}}`),
    status: 400,
    says: "more than 100 values",
  },
  {
    name: "1,001 rows",
    request: () => events(batch(...Array.from({ length: 1_001 }, () => event()))),
    status: 400,
    says: "at most 1,000",
  },
  {
    name: "1,000 rows that are nothing",
    request: events(`[${"0,".repeat(999)}0]`),
    status: 202,
    holds: ({ json }) => expect(json).toMatchObject({ accepted: 0 }),
  },
  { name: "more than 5 MiB", request: events(`"${"x".repeat(5 * MIB)}"`), status: 413 },
  {
    name: "a text of 5 MB where a batch should be",
    request: events(`"${"x".repeat(5 * MIB - 2)}"`),
    status: 400,
  },
  { name: "a number of a million digits", request: events(`[${"1".repeat(MIB)}]`), ...rejects("object") },
  {
    name: "a prototype in an event",
    request: () => events(`[{"__proto__":{"polluted":true}}]`),
    status: 202,
  },
  { name: "a prototype in an experiment", request: create('{"__proto__":{"polluted":true}}'), status: 400 },
  {
    name: "a name twice: the last counts",
    request: () => events(JSON.stringify([event()]).replace('"type"', '"user_id":"first","type"')),
    ...accepts,
  },
  { name: "JSON with a comment", request: events("[/* */]"), status: 400 },
  { name: "two values", request: events("[][]"), status: 400 },
  { name: "no body", request: events(""), status: 400, says: "empty" },
  { name: "white space", request: events(" ".repeat(MIB)), status: 400 },
];

const encodings: readonly Attack[] = [
  {
    name: "a bomb of 200 MiB",
    request: events(gzip(Buffer.alloc(200 * MIB, " ")), { "content-encoding": "gzip" }),
    status: 413,
    says: "decompressed",
  },
  {
    name: "gzip inside gzip",
    request: events(gzip(Buffer.from(gzip("[]"))), { "content-encoding": "gzip" }),
    status: 400,
  },
  {
    name: "gzip cut in the middle",
    request: () => events(gzip(batch(event())).slice(0, 40), { "content-encoding": "gzip" }),
    status: 400,
    says: "gzip",
  },
  {
    name: "plain JSON called gzip",
    request: events("[]", { "content-encoding": "gzip" }),
    status: 400,
    says: "gzip",
  },
  {
    name: "two encodings",
    request: events("[]", { "content-encoding": "gzip, gzip" }),
    status: 415,
    says: "gzip",
  },
  { name: "brotli", request: events("[]", { "content-encoding": "br" }), status: 415, says: "gzip" },
  {
    name: "gzip with bytes after its end",
    request: () => events(Uint8Array.from([...gzip("[]"), 1, 2, 3]), { "content-encoding": "gzip" }),
    status: 400,
  },
  {
    name: "a compressed body to the dashboard's plane",
    request: create(gzip("{}"), { "content-encoding": "gzip" }),
    status: 415,
  },
  {
    name: "a form",
    request: events("a=1", { "content-type": "application/x-www-form-urlencoded" }),
    status: 415,
  },
  { name: "JSON in UTF-16", request: events(new Uint8Array(Buffer.from("[]", "utf16le"))), status: 400 },
  {
    name: "bytes that are not UTF-8",
    request: () => events(new Uint8Array(Buffer.from(batch(event({ user_id: "ÿ" })), "latin1"))),
    ...rejects("UTF-8"),
  },
];

const values: readonly Attack[] = [
  {
    name: "an infinite number",
    request: () =>
      events(batch(event({ type: "business_event", metric: "m", value: 7 })).replace(":7", ":1e999")),
    ...rejects(""),
  },
  {
    name: "a year of five digits",
    request: () => events(batch(event({ timestamp: "+12026-01-01T00:00:00Z" }))),
    ...rejects("timestamp"),
  },
  {
    name: "an instant beyond all dates",
    request: () => events(batch(event({ timestamp: 8.65e15 }))),
    ...rejects("timestamp"),
  },
  {
    name: "an id of 129 characters",
    request: () => events(batch(event({ event_id: "x".repeat(129) }))),
    ...rejects("event_id"),
  },
  {
    name: "a user of 257 characters",
    request: () => events(batch(event({ user_id: "x".repeat(257) }))),
    ...rejects("user_id"),
  },
  {
    name: "a user of 256 emoji",
    request: () => events(batch(event({ user_id: "😀".repeat(256) }))),
    status: 202,
  },
  { name: "a NUL in a user", request: () => events(batch(event({ user_id: "a\0b" }))), status: 202 },
  {
    name: "half a surrogate pair in a user",
    request: () => events(batch(event()).replace('"u"', String.raw`"\ud800"`)),
    status: 202,
  },
  {
    name: "text that runs backwards",
    request: () => events(batch(event({ user_id: "\u202eadmin" }))),
    ...accepts,
  },
  {
    name: "a script in a user",
    request: () => events(batch(event({ user_id: "<script>alert(1)</script>" }))),
    ...accepts,
  },
  {
    name: "SQL in a user",
    request: () => events(batch(event({ user_id: "'; DROP TABLE events; --" }))),
    ...accepts,
  },
  {
    name: "placeholders of the event store in a user",
    request: () => events(batch(event({ user_id: "{user:String}" }))),
    ...accepts,
  },
  {
    name: "an experiment named like a method",
    request: () => events(batch(event({ experiment_id: "constructor" }))),
    ...rejects("experiment"),
  },
  {
    name: "a type named like a method",
    request: () => events(batch(event({ type: "toString" }))),
    ...rejects("type"),
  },
  {
    name: "metadata of 17 KiB",
    request: () => events(batch(event({ metadata: { a: "x".repeat(17 * 1024) } }))),
    ...rejects("metadata"),
  },
  {
    name: "a list for a user",
    request: () => events(batch(event({ user_id: ["u"] }))),
    ...rejects("user_id"),
  },
  {
    name: "an object for a user of assign",
    request: assign('{"experiment_id":"target","user_id":{"toString":"x"}}'),
    status: 400,
    says: "user_id",
  },
  {
    name: "an experiment of 10,000 names",
    request: create(`{${Array.from({ length: 10_000 }, (_, i) => `"f${i}":0`).join()}}`),
    status: 400,
  },
  {
    name: "a thousand variants",
    request: create(
      JSON.stringify({
        name: "many",
        allocation: Array.from({ length: 1_000 }, (_, i) => ({ variant: `v${i}`, weight: 1 })),
        metrics: [],
      }),
    ),
    status: 400,
    says: "allocation",
  },
  {
    name: "weights that are not numbers",
    request: create(
      '{"name":"w","allocation":[{"variant":"a","weight":1e999},{"variant":"b","weight":-1}],"metrics":[]}',
    ),
    status: 400,
    says: "weight",
  },
];

describe.each([
  { what: "bodies", attacks: bodies },
  { what: "encodings", attacks: encodings },
  { what: "values", attacks: values },
])("$what", ({ attacks }) => {
  test.each(attacks)("$name", (row) => attack(row, target));
});
