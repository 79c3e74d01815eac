import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Attack, type AttackRequest, attack, openTarget, sendRaw, type Target } from "./support.ts";

/** Attacks by what they send: bodies, encodings, headers, query strings, texts and files. */

const MIB = 1024 * 1024;
let target: Target;
beforeAll(async () => {
  target = await openTarget();
});
afterAll(() => target.api.stop());

type Body = NonNullable<AttackRequest["body"]>;
const JSON_TYPE = { "content-type": "application/json" };
const gzip = (text: string | Buffer) => new Uint8Array(gzipSync(text, { level: 9 }));

const post =
  (path: string, as: AttackRequest["as"]) =>
  (body: Body, headers: AttackRequest["headers"] = {}): AttackRequest => ({
    method: "POST",
    path,
    as,
    body,
    headers: { ...JSON_TYPE, ...headers },
  });
const events = post("/v1/events", "publishable");
const assign = post("/v1/assign", "publishable");
const create = post("/v1/experiments", "owner");
const contact = post("/v1/contact", "nobody");
const imported = (type: string, body: Body, headers = {}) =>
  post("/v1/events/import", "secret")(body, { "content-type": type, ...headers });

const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const list = (item: string, times: number) => `[${`${item},`.repeat(times)}0]`;

let ids = 0;
/** An event that is good, but for the change. */
const event = (change: Readonly<Record<string, unknown>> = {}) => ({
  event_id: `attack-${ids++}`,
  type: "exposure",
  experiment_id: "target",
  user_id: "u",
  variant: "base",
  timestamp: Date.now(),
  ...change,
});
const batch = (...rows: readonly unknown[]) => JSON.stringify({ events: rows });

const rejects = (detail: string | RegExp): Pick<Attack, "status" | "holds"> => ({
  status: 202,
  holds: ({ json }) =>
    expect(json).toMatchObject({ accepted: 0, rejected: [{ detail: expect.stringMatching(detail) }] }),
});
const accepts: Pick<Attack, "status" | "holds"> = {
  status: 202,
  holds: ({ json }) => expect(json).toMatchObject({ accepted: 1, rejected: [] }),
};

const bodies: readonly Attack[] = [
  { name: "brackets without end", request: events("[".repeat(MIB)), status: 400, says: "not JSON" },
  {
    name: "5 MiB of brackets in 5 KB of gzip",
    request: events(gzip("[".repeat(5 * MIB)), { "content-encoding": "gzip" }),
    status: 400,
    says: "not JSON",
  },
  {
    name: "objects 101 deep beside the events",
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
    name: "brackets without end, from nobody",
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
    status: 400,
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

const eventsOf =
  (query: string) =>
  ({ experimentId }: Target): AttackRequest => ({
    method: "GET",
    path: `/v1/experiments/${experimentId}/events?${query}`,
    as: "owner",
  });
const get = (path: string, as: AttackRequest["as"] = "owner"): AttackRequest => ({ method: "GET", path, as });
const cursor = (value: unknown) =>
  encodeURIComponent(Buffer.from(JSON.stringify(value)).toString("base64url"));

const addresses: readonly Attack[] = [
  { name: "a cursor that is no JSON", request: eventsOf("cursor=%00%ff"), status: 400 },
  {
    name: "a cursor of another list",
    request: eventsOf(`cursor=${cursor(["x"])}`),
    status: 400,
    says: "cursor",
  },
  {
    name: "a cursor of nested brackets",
    request: eventsOf(`cursor=${encodeURIComponent(Buffer.from("[".repeat(1_000)).toString("base64url"))}`),
    status: 400,
    says: "cursor",
  },
  {
    name: "a cursor of objects",
    request: eventsOf(`cursor=${cursor([{ toString: 1 }, { valueOf: 1 }, null])}`),
    status: 400,
    says: "cursor",
  },
  {
    name: "a cursor with SQL",
    request: get(`/v1/experiments?cursor=${cursor(["' OR 1=1 --", "' OR 1=1 --"])}`),
    status: [200, 400],
  },
  {
    name: "a search for wild cards finds only them",
    request: eventsOf(`text=${encodeURIComponent("%_\\")}`),
    status: 200,
    holds: ({ json }) => expect(json).toMatchObject({ items: [] }),
  },
  {
    name: "a search for SQL",
    request: eventsOf(`text=${encodeURIComponent("') OR 1=1 --")}`),
    status: 200,
    holds: ({ json }) => expect(json).toMatchObject({ items: [] }),
  },
  { name: "a search for 201 characters", request: eventsOf(`text=${"x".repeat(201)}`), status: 400 },
  { name: "a search for half a surrogate pair", request: eventsOf("text=%ED%A0%80"), status: [200, 400] },
  { name: "a NUL in a query", request: eventsOf("text=%00"), status: 400, says: "NUL" },
  { name: "a parameter twice", request: eventsOf("text=a&text=b"), status: 400 },
  { name: "an unknown parameter", request: eventsOf("__proto__=1"), status: 400 },
  { name: "a sort by another column", request: eventsOf("sort=org_id"), status: 400, says: "sort" },
  { name: "a limit below", request: eventsOf("limit=-1"), status: 400, says: "limit" },
  {
    name: "a limit beyond all numbers",
    request: eventsOf(`limit=${"9".repeat(400)}`),
    status: 400,
    says: "limit",
  },
  { name: "a limit in hexadecimal", request: eventsOf("limit=0x10"), status: 400, says: "limit" },
  {
    name: "a thousand parameters",
    request: eventsOf(Array.from({ length: 1_000 }, (_, i) => `a${i}=1`).join("&")),
    status: 400,
  },
  {
    name: "a path that leads out",
    request: get("/assets/..%2f..%2f..%2fpackage.json", "nobody"),
    status: 404,
  },
  { name: "a path that cannot be decoded", request: get("/v1/experiments/%zz"), status: 404 },
  { name: "an id of 600 characters", request: get(`/v1/experiments/${"a".repeat(600)}`), status: 404 },
  {
    name: "an id with SQL",
    request: get(`/v1/experiments/${encodeURIComponent("' OR '1'='1")}`),
    status: 404,
  },
  { name: "an id with a NUL", request: get("/v1/experiments/a%00b"), status: 404 },
  { name: "a slash in an id", request: get("/v1/experiments/a%2f..%2fb"), status: 404 },
  {
    name: "a method that is not taken",
    request: { method: "DELETE", path: "/v1/events", as: "secret" },
    status: 405,
    says: "POST",
  },
  {
    name: "another method in a header",
    request: {
      method: "GET",
      path: "/v1/assign",
      as: "secret",
      headers: { "x-http-method-override": "POST" },
    },
    status: 405,
  },
];

const exclude =
  (body: string) =>
  ({ experimentId }: Target): AttackRequest =>
    post(`/v1/experiments/${experimentId}/exclusions`, "owner")(body);

const exclusions: readonly Attack[] = [
  { name: "an exclusion of everything", request: exclude('{"reason":"x","match":{}}'), status: 400 },
  {
    name: "an exclusion of 1,001 users",
    request: exclude(
      JSON.stringify({ reason: "x", match: { user_ids: Array.from({ length: 1_001 }, (_, i) => `u${i}`) } }),
    ),
    status: 400,
    says: "user_ids",
  },
  {
    name: "an exclusion by an unknown field",
    request: exclude('{"reason":"x","match":{"org_id":"y"}}'),
    status: 400,
    says: "org_id",
  },
  {
    name: "an exclusion by SQL",
    request: exclude(JSON.stringify({ reason: "x", match: { user_ids: ["') OR 1=1 --"] } })),
    status: 201,
  },
  {
    name: "an exclusion that ends before it begins",
    request: exclude('{"reason":"x","match":{"from":"2026-02-01T00:00:00Z","to":"2026-01-01T00:00:00Z"}}'),
    status: 400,
  },
];

const CSV = "event_id,type,experiment_id,user_id,variant,timestamp,value,metadata\n";
const row = (value: string, metadata = "") =>
  `${CSV}i${ids++},exposure,target,u,base,${Date.now()},${value},${metadata}\n`;
const faulty = (detail: string | RegExp): Pick<Attack, "status" | "holds"> => ({
  status: 200,
  holds: ({ json }) =>
    expect(json).toMatchObject({ events: 0, errors: [{ detail: expect.stringMatching(detail) }] }),
});

const imports: readonly Attack[] = [
  {
    name: "a cell of a million digits",
    request: () => imported("text/csv", row(`${"1".repeat(900_000)}x`)),
    status: 200,
  },
  {
    name: "a cell of brackets",
    request: () => imported("text/csv", row("", `"${"[".repeat(900_000)}"`)),
    ...faulty("100 levels"),
  },
  {
    name: "a line of brackets",
    request: imported("application/x-ndjson", `${"[".repeat(900_000)}\n`),
    ...faulty("100 levels"),
  },
  {
    name: "a line of many values",
    request: imported("application/x-ndjson", `${list("0", 100_000)}\n`),
    ...faulty("10,000 values"),
  },
  {
    name: "a row of brackets in a list",
    request: imported("application/json", `[${nested(200_000)}]`),
    ...faulty("100 levels"),
  },
  { name: "a list that never ends", request: imported("application/json", "[".repeat(MIB)), status: 200 },
  {
    name: "a quote that is never closed",
    request: () => imported("text/csv", `${CSV}"${"x\n".repeat(MIB)}`),
    status: 200,
  },
  {
    name: "a header of 100,000 columns",
    request: imported("text/csv", `${"a,".repeat(100_000)}b\n`),
    status: 400,
  },
  {
    name: "a line of 2 MiB",
    request: imported("application/x-ndjson", `"${"x".repeat(2 * MIB)}"\n`),
    ...faulty("1 MiB"),
  },
  {
    name: "a bomb of 200 MiB",
    request: imported("application/x-ndjson", gzip(Buffer.alloc(200 * MIB, " ")), {
      "content-encoding": "gzip",
    }),
    status: 413,
  },
  {
    name: "another character set",
    request: imported("text/csv; charset=utf-7", CSV),
    status: 415,
    says: "UTF-8",
  },
  {
    name: "a media type of 10,000 spaces",
    request: imported(`text/csv; charset=${'"'}a${" ".repeat(10_000)}b`, CSV),
    status: 415,
  },
  {
    name: "with a publishable key",
    request: { ...imported("text/csv", CSV), as: "publishable" },
    status: 401,
  },
];

const headers: readonly Attack[] = [
  {
    name: "a key of 10,000 characters",
    request: { ...events("[]"), as: "nobody", headers: { ...JSON_TYPE, "x-api-key": "k".repeat(10_000) } },
    status: 401,
  },
  {
    name: "a token of 10,000 dots",
    request: {
      ...get("/v1/experiments", "nobody"),
      headers: { authorization: `Bearer ${".".repeat(10_000)}` },
    },
    status: 401,
  },
  {
    name: "a token without a signature",
    request: {
      ...get("/v1/experiments", "nobody"),
      headers: { authorization: "Bearer eyJhbGciOiJub25lIn0.e30." },
    },
    status: 401,
  },
  {
    name: "a cookie of 500 parts",
    request: { ...get("/v1/experiments", "nobody"), headers: { cookie: "a=b; ".repeat(500) } },
    status: 401,
  },
  {
    name: "If-None-Match of 2,000 tags",
    request: { ...get("/v1/config", "publishable"), headers: { "if-none-match": '"x",'.repeat(2_000) } },
    status: 200,
  },
  {
    name: "a request id with a line break",
    request: { ...get("/v1/experiments"), headers: { "x-request-id": "a%0d%0aset-cookie: b" } },
    status: 200,
    holds: (answer) => expect(answer.headers.get("set-cookie")).toBeNull(),
  },
];

describe.each([
  { what: "bodies", attacks: bodies },
  { what: "encodings", attacks: encodings },
  { what: "values", attacks: values },
  { what: "addresses", attacks: addresses },
  { what: "exclusions", attacks: exclusions },
  { what: "imports", attacks: imports },
  { what: "headers", attacks: headers },
])("$what", ({ attacks }) => {
  test.each(attacks)("$name", (row) => attack(row, target));
});

describe("bytes that are hardly HTTP", () => {
  const head = (lines: string) => `POST /v1/events HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines}\r\n`;
  test.each([
    { name: "two lengths", bytes: head("Content-Length: 2\r\nContent-Length: 3\r\n"), status: 400 },
    {
      name: "a length and chunks",
      bytes: head("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n"),
      status: 400,
    },
    { name: "a length below zero", bytes: head("Content-Length: -1\r\n"), status: 400 },
    { name: "headers of more than 16 KiB", bytes: head(`X-A: ${"a".repeat(17_000)}\r\n`), status: 431 },
    { name: "no HTTP at all", bytes: "\0\0\0\0\r\n\r\n", status: 400 },
    { name: "a header with a NUL", bytes: head("X-A: a\0b\r\n"), status: 400 },
  ])("$name", async ({ bytes, status }) => {
    expect(await sendRaw(target, bytes)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect((await fetch(`${target.api.service.url}/healthz`)).status).toBe(200);
  });
});
