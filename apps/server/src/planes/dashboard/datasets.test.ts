import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WireDataset, WireItems } from "../../test-support/datasets.ts";
import type { WireProblem } from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

let api: TestService;
beforeAll(async () => {
  api = await openTestService();
});
afterAll(() => api.stop());

const upload = (body: unknown, query = "name=faq", headers: Readonly<Record<string, string>> = {}) =>
  api.call<WireDataset & WireProblem>("POST", `/v1/datasets/upload?${query}`, { body, headers });
const itemsOf = async (id: string, query = "") =>
  (await api.call<WireItems>("GET", `/v1/datasets/${id}/items${query}`)).body;
const lines = (...rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n");
const says = (text: string) => [{ role: "user", text }];

describe("uploaded datasets", () => {
  test("have the file's inputs, masked, page by page; other inputs are the next version", async () => {
    const file = lines(
      { id: "a", input: "Write to ann@example.org", reference: "+49 170 1234567", user_id: "ann" },
      {
        input: [
          { role: "system", content: "x" },
          { role: "user", content: "Why?" },
        ],
      },
      { id: 3, input: { question: "When?" } },
    );
    const { status, body, headers } = await upload(file, "name=Questions");
    expect(status).toBe(201);
    expect(headers.get("location")).toBe(`/v1/datasets/${body.id}`);
    expect(body).toMatchObject({
      ...{ name: "Questions", version: 1, items: 3, expires_at: null },
      source: { kind: "upload", format: "jsonl" },
      masked: { email: 1, phone: 1 },
    });
    const first = await itemsOf(body.id, "?limit=2");
    expect(first.items).toMatchObject([
      { position: 0, id: "a", messages: says("Write to [email]"), reference: "[phone]", user_id: "ann" },
      { position: 1, id: "row-2", messages: says("Why?"), reference: null, user_id: null, probability: 1 },
    ]);
    const rest = await itemsOf(body.id, `?limit=2&cursor=${first.next_cursor}`);
    expect(rest).toMatchObject({ items: [{ id: "3", messages: says("When?") }], next_cursor: null });
    const again = await upload(file, "name=Questions");
    expect([again.status, again.body, again.headers.get("location")]).toEqual([
      200,
      body,
      headers.get("location"),
    ]);
    const changed = await upload(file.replace("Why?", "Why not?"), "name=Questions");
    expect([changed.status, changed.body.version]).toEqual([201, 2]);
    expect([(await upload(file, "name=Questions")).status]).toEqual([201]);
    expect((await api.call("GET", `/v1/datasets/${body.id}`)).body).toEqual(body);
    const page = await api.call<{ items: readonly WireDataset[] }>("GET", "/v1/datasets?limit=1");
    expect(page.body.items).toMatchObject([{ name: "Questions" }]);
    const wrong = await api.call<WireProblem>("GET", `/v1/datasets/${body.id}/items?cursor=x`);
    expect([wrong.status, wrong.body.detail]).toEqual([400, expect.stringContaining("next_cursor")]);
  });

  test.each<{
    name: string;
    format: string;
    file: string | Uint8Array;
    input?: string;
    reference?: string | null;
  }>([
    {
      name: "CSV",
      format: "csv",
      file: '\ufeffid,input,reference\r\n1,"Why,\nso?",So.\r\n',
      input: "Why,\nso?",
    },
    {
      name: "OpenAI Evals samples",
      format: "openai-evals",
      file: lines({ input: "Why?", ideal: ["So.", "Thus."] }),
      reference: "So.\nThus.",
    },
    {
      name: "promptfoo's YAML",
      format: "promptfoo",
      file: "tests:\n  - &a\n    vars: {question: Why?}\n    assert:\n      - type: similar\n        value: So.\n",
    },
    {
      name: "promptfoo's JSON",
      format: "promptfoo",
      file: JSON.stringify([{ vars: { q: "Why?" } }], null, 2),
      reference: null,
    },
    {
      name: "an Inspect log",
      format: "inspect",
      file: JSON.stringify({
        version: 2,
        samples: [
          { id: 1, epoch: 1, input: "Why?", target: "So." },
          { id: 1, epoch: 2, input: "Why?" },
        ],
      }),
    },
    {
      name: "Langfuse items",
      format: "langfuse",
      file: JSON.stringify({ data: [{ id: "1", input: "Why?", expectedOutput: "So." }] }),
    },
    { name: "gzipped JSONL", format: "jsonl", file: gzipSync(lines({ input: "Why?", reference: "So." })) },
  ])("are read from $name", async ({ format, file, input = "Why?", reference = "So." }) => {
    const headers: Record<string, string> = typeof file === "string" ? {} : { "content-encoding": "gzip" };
    const { status, body } = await upload(file, "name=formats", headers);
    expect([status, body.source]).toEqual([201, { kind: "upload", format }]);
    expect((await itemsOf(body.id)).items).toMatchObject([{ messages: says(input), reference }]);
  });

  test.each<{ name: string; file: string; query?: string; details: readonly (string | RegExp)[] }>([
    {
      name: "rows",
      file: `${lines({ input: "a" })}\n\n{\n${lines({ id: 1 })}`,
      details: [/^Line 3: The row is not JSON/, "Line 4: `input` is missing."],
    },
    {
      name: "an id used twice",
      file: lines({ id: 1, input: "a" }, { id: 1, input: "b" }),
      details: [/^Line 2: The id "1" is used twice/],
    },
    {
      name: "a cell",
      file: 'input,id\n"a\nb",1\n,2\n',
      details: ["Line 4: The input has no user message with text."],
    },
    { name: "CSV's quotes", file: 'input,id\na,"1\n', details: [/^Line 2: Quote Not Closed.*Quote cells/] },
    { name: "a row of CSV", file: "input,id\na,1,2\n", details: [/^Line 2: Invalid Record Length/] },
    {
      name: "CSV's header",
      file: "question\nWhy?\n",
      query: "&format=csv",
      details: [/must name the columns, one of them `input`/],
    },
    { name: "a column named twice", file: "input,input\nWhy?,b\n", details: [/"input" is named twice/] },
    {
      name: "a sample",
      file: JSON.stringify({ samples: [{ input: "a" }, { input: 3 }] }, null, 1),
      details: [/^Line 6: `input` must be a string/],
    },
    {
      name: "a test in YAML",
      file: "- vars: {a: b}\n- vars: [1]\n",
      details: [/^Line 2: `vars` must be an object/],
    },
    {
      name: "a test in YAML below others",
      file: "description: x\ntests:\n  - vars: {a: b}\n\n  - vars:\n      a: 1\n",
      details: [/^Line 5: `vars` has no user message/],
    },
    {
      name: "YAML",
      file: "- vars: {a: b\n- c: ]",
      query: "&format=promptfoo",
      details: [/^Line 2: This is not YAML/],
    },
    { name: "JSON", file: '{"samples": [', query: "&format=inspect", details: [/not JSON/] },
    {
      name: "JSON of another format",
      file: '{"samples": []}',
      query: "&format=langfuse",
      details: [/a list under `data`/],
    },
    { name: "an unknown format", file: "hello", details: [/set format to one of jsonl, csv/] },
    { name: "a document without inputs", file: '{"samples": []}', details: ["The file has no inputs."] },
    {
      name: "bytes that are no text",
      file: Buffer.from([0x50, 0x4b, 0xff]).toString("latin1"),
      query: "&format=csv",
      details: [/must name the columns/],
    },
  ])("are refused as a whole for $name, by line", async ({ file, query = "", details }) => {
    const { status, body } = await upload(file, `name=refused${query}`);
    expect(status).toBe(400);
    expect(body.errors?.map(({ detail }) => detail)).toEqual(
      details.map((detail) => (typeof detail === "string" ? detail : expect.stringMatching(detail))),
    );
    const { items } = (await api.call<{ items: readonly WireDataset[] }>("GET", "/v1/datasets?limit=200"))
      .body;
    expect(items.filter(({ name }) => name === "refused")).toEqual([]);
  });

  test("list 20 faults at most, and say how many rows are wrong", async () => {
    const { body } = await upload(lines(...Array.from({ length: 30 }, () => ({}))), "name=x&format=jsonl");
    expect(body.errors).toHaveLength(20);
    expect(body.detail).toMatch(/^Line 1: .*More faulty rows: 19/);
  });

  test.each<{ name: string; file: string | Uint8Array; query?: string; detail: RegExp; status?: number }>([
    {
      name: "a gzip bomb",
      file: gzipSync(Buffer.alloc(80 * 1024 ** 2, 0x20)),
      status: 413,
      detail: /decompressed body is larger than 64 MiB/,
    },
    { name: "no gzip", file: Buffer.from("hello"), detail: /not valid gzip/ },
    {
      name: "bytes that are not UTF-8",
      file: gzipSync(Buffer.from([0x7b, 0xff])),
      detail: /save it as UTF-8/,
    },
    { name: "deep JSON", file: gzipSync("[".repeat(1_000_000)), detail: /100 levels/ },
    {
      name: "deep JSON behind a row",
      file: gzipSync(`{"input":"a"}\n{"input":${"[".repeat(500_000)}`),
      detail: /100 levels/,
    },
    {
      name: "many values",
      file: gzipSync(`[${"{},".repeat(1_500_000)}{}]`),
      query: "&format=langfuse",
      detail: /1,000,000 lists and objects/,
    },
    {
      name: "deep YAML",
      file: gzipSync(`- vars: ${"[".repeat(100_000)}`),
      query: "&format=promptfoo",
      detail: /nests too deeply|not YAML/,
    },
    {
      name: "deep YAML of dashes",
      file: gzipSync(`${"- ".repeat(100_000)}a`),
      query: "&format=promptfoo",
      detail: /nests too deeply|not YAML|must be an object/,
    },
    {
      name: "aliases that multiply",
      file: gzipSync(
        [
          "a: &a0 [x, x]",
          ...Array.from({ length: 30 }, (_, i) => `b${i}: &a${i + 1} [*a${i}, *a${i}]`),
          "tests: []",
        ].join("\n"),
      ),
      query: "&format=promptfoo",
      detail: /aliases cannot be followed/,
    },
    {
      name: "large YAML",
      file: gzipSync(`# ${"x".repeat(4 * 1024 ** 2)}\n- vars: {}`),
      query: "&format=promptfoo",
      detail: /at most 4 MiB/,
    },
    {
      name: "a long row",
      file: gzipSync(JSON.stringify({ input: "x".repeat(2 * 1024 ** 2) })),
      detail: /longer than 1 MiB/,
    },
    {
      name: "a quote that is never closed",
      file: gzipSync(`input\n"${"x\n".repeat(1_000_000)}`),
      detail: /Max Record Size/,
    },
    {
      name: "many rows",
      file: gzipSync('{"input":"a"}\n'.repeat(1_000_000)),
      detail: /at most 10,000 inputs/,
    },
    {
      name: "many cells",
      file: gzipSync(`input\n${"a\n".repeat(1_000_000)}`),
      detail: /at most 10,000 inputs/,
    },
  ])("survive $name", async ({ file, query = "", status = 400, detail }) => {
    const answer = await upload(file, `name=hostile${query}`, { "content-encoding": "gzip" });
    expect([answer.status, answer.body.detail]).toEqual([status, expect.stringMatching(detail)]);
  });

  test("need a name that is a line, a known format, and a body", async () => {
    expect((await upload("a", "name=")).status).toBe(400);
    expect((await upload("a", "name=a%0Ab")).status).toBe(400);
    expect((await upload("a", "format=csv")).status).toBe(400);
    expect((await upload("a", "name=a&format=xml")).status).toBe(400);
    expect((await upload("", "name=a")).body.detail).toMatch(/body is empty/);
  });

  test("are of their org alone, and deleted with their inputs", async () => {
    const { id } = (await upload(lines({ input: "a" }))).body;
    const token = await api.token({ org: "strangers", role: "owner" });
    for (const path of [`/v1/datasets/${id}`, `/v1/datasets/${id}/items`])
      expect((await api.call("GET", path, { token })).status).toBe(404);
    expect((await api.call("DELETE", `/v1/datasets/${id}`, { token })).status).toBe(404);
    expect((await api.call("DELETE", `/v1/datasets/${id}`)).status).toBe(204);
    expect((await api.call("GET", `/v1/datasets/${id}`)).status).toBe(404);
    expect((await api.call("DELETE", `/v1/datasets/${id}`)).status).toBe(404);
    const { items } = (await api.call<{ items: readonly object[] }>("GET", `/v1/audit?target_id=${id}`)).body;
    expect(items).toMatchObject([
      { action: "dataset.delete", summary: expect.stringMatching(/version \d+ of the dataset faq/) },
      { action: "dataset.create", summary: expect.stringMatching(/^Uploaded version .* faq: 1 inputs/) },
    ]);
  });
});

describe("masking rules", () => {
  const put = (rules: object) =>
    api.call<WireProblem & Readonly<Record<string, unknown>>>("PUT", "/v1/masking-rules", { body: rules });
  const ALL = { built_in: ["email", "phone", "iban", "card", "ip"], own: [] };

  test("mask later uploads, an org's own first", async () => {
    expect((await api.call("GET", "/v1/masking-rules")).body).toEqual(ALL);
    const rules = {
      built_in: ["card"],
      own: [
        { name: "ticket", pattern: "T-\\d{3,}" },
        { name: "team", pattern: "(?i)team \\w+" },
      ],
    };
    expect((await put(rules)).body).toEqual(rules);
    const { body } = await upload(
      lines({ input: "T-4111111111111111 of Team Red: 4111 1111 1111 1111, ann@example.org" }),
    );
    expect(body.masked).toEqual({ ticket: 1, team: 1, card: 1 });
    expect((await itemsOf(body.id)).items[0]?.messages).toEqual(
      says("[ticket] of [team]: [card], ann@example.org"),
    );
    expect((await put(ALL)).status).toBe(200);
    expect((await put(ALL)).status).toBe(200);
    const audit = await api.call<{ items: readonly { action: string }[] }>("GET", "/v1/audit?limit=200");
    expect(audit.body.items.filter(({ action }) => action === "masking-rules.put")).toHaveLength(2);
  });

  test.each<{ own: readonly object[]; detail: RegExp }>([
    {
      own: [{ name: "a", pattern: "(a" }],
      detail: /own\/0\/pattern: is not a regular expression in RE2's syntax/,
    },
    { own: [{ name: "a", pattern: "(a)\\1" }], detail: /no backreferences/ },
    { own: [{ name: "a", pattern: "a(?=b)" }], detail: /no look-around/ },
    { own: [{ name: "a", pattern: "x*" }], detail: /matches the empty string/ },
    { own: [{ name: "a", pattern: "(?:ab{1,99}){1,9}c" }], detail: /too complex/ },
    {
      own: [
        { name: "a", pattern: "a" },
        { name: "a", pattern: "b" },
      ],
      detail: /own\/1\/name: is the name of another/,
    },
    { own: [{ name: "email", pattern: "a" }], detail: /name of another rule/ },
    { own: [{ name: "A", pattern: "a" }], detail: /own\/0\/name/ },
    {
      own: Array.from({ length: 21 }, (_, i) => ({ name: `a${"b".repeat(i)}`, pattern: "a" })),
      detail: /own/,
    },
  ])("refuse $own", async ({ own, detail }) => {
    const answer = await put({ built_in: [], own });
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringMatching(detail)]);
    expect((await api.call("GET", "/v1/masking-rules")).body).toEqual(ALL);
  });
});
