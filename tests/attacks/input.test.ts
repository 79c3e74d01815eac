import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { events, gzipParts, imported, JSON_TYPE, list, MIB, nested, post } from "./requests.ts";
import { type Attack, type AttackRequest, attack, openTarget, sendRaw, type Target } from "./support.ts";

/** Attacks by addresses, exclusions, files, headers and bytes that are hardly HTTP. */

let target: Target;
beforeAll(async () => {
  target = await openTarget();
});
afterAll(() => target.api.stop());

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
  { name: "a cursor that is not JSON", request: eventsOf("cursor=%00%ff"), status: 400 },
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

let ids = 0;
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
    request: imported("application/x-ndjson", gzipParts(200, Buffer.alloc(MIB, " ")), {
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
