import { once } from "node:events";
import { Agent, request } from "node:http";
import { gzipSync } from "node:zlib";
import { EventSchema, type TrafficSeries } from "@assay/contract";
import { IMPORT_COLUMNS } from "@assay/domain";
import type { Static } from "typebox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseSettings } from "../../settings.ts";
import {
  experimentBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

/** The tests send more often than anybody imports. */
const rateLimits = { ...parseSettings({}).rateLimits, importPerMinute: 10_000 };

let api: TestService;
let key: string;
let experiment: WireExperiment;
beforeAll(async () => {
  api = await openTestService({ rateLimits });
  key = await api.newKey("secret");
  const body = experimentBody("imported");
  experiment = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
});
afterAll(() => api.stop());

interface ImportResult {
  readonly events: number;
  readonly errors: readonly { readonly line: number; readonly event_id?: string; readonly detail: string }[];
  readonly error_count: number;
  readonly rows: number;
  readonly dry_run: boolean;
  readonly unknown_columns?: readonly string[];
}

const PATH = "/v1/events/import";
const HEAD = "event_id,type,experiment_id,user_id,timestamp,metadata,prompt";
const CSV = { "content-type": "text/csv" };
const send = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = CSV, path = PATH) =>
  api.call<ImportResult & WireProblem>("POST", path, { key, body, headers });

let count = 0;
const newId = () => `import-${++count}`;
const row = (id = newId(), prompt = "") =>
  `${id},exposure,imported,u1,${new Date().toISOString()},,${prompt}`;
const csv = (...rows: readonly string[]) => [HEAD, ...rows].join("\n");
const event = (id = newId()) => ({
  event_id: id,
  type: "exposure",
  experiment_id: experiment.id,
  user_id: "u1",
  timestamp: Date.UTC(2026, 10, 20),
});

async function metric(name: string): Promise<number> {
  const { body } = await api.call<string>("GET", "/metrics");
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(body)?.[1]);
}

/** Exposures that the event store has, once everything accepted is in it. */
async function storedExposures(): Promise<number> {
  await expect.poll(() => metric("assay_queue_batches")).toBe(0);
  const { body } = await api.call<Static<typeof TrafficSeries>>(
    "GET",
    `/v1/experiments/${experiment.id}/traffic`,
  );
  return body.days.flatMap(({ exposures }) => Object.values(exposures)).reduce((sum, one) => sum + one, 0);
}

describe("formats", () => {
  test("CSV: every row is accepted or reported with its line", async () => {
    const good = newId();
    const file = csv(
      row(good, '"two\nlines"'),
      row("", ""),
      "a,b",
      row(newId(), ""),
      row("bad-meta").replace(",,", ",{,"),
    );
    const { status, body } = await send(file);
    expect(status).toBe(200);
    expect(body).toEqual({
      events: 2,
      errors: [
        { line: 4, detail: expect.stringContaining("event_id") },
        { line: 5, detail: "The row has 2 cells; the header has 7." },
        { line: 7, detail: "metadata must be a JSON object of at most 100 levels and 10,000 values." },
      ],
      error_count: 3,
      rows: 5,
      dry_run: false,
    });
  });

  test("CSV: unknown columns are named", async () => {
    const { body } = await send(`${HEAD},promt\n${row()},x`);
    expect(body).toMatchObject({ events: 1, error_count: 0, unknown_columns: ["promt"] });
  });

  test.each(["application/json", "application/json; charset=utf-8"])("an array as %s", async (type) => {
    const file = JSON.stringify([event(), { ...event("named"), experiment_id: "nowhere" }, 5], null, 1);
    const { status, body } = await send(file, { "content-type": type });
    expect(status).toBe(200);
    expect(body).toMatchObject({ events: 1, error_count: 2, rows: 3 });
    expect(body.errors).toEqual([
      {
        line: 9,
        event_id: "named",
        detail: "No experiment with this id or name exists in this organization.",
      },
      { line: 16, detail: "The row must be an object." },
    ]);
  });

  test("an object with events", async () => {
    const { body } = await send(JSON.stringify({ events: [event()] }), {
      "content-type": "application/json",
    });
    expect(body).toMatchObject({ events: 1, rows: 1 });
  });

  test.each(["application/x-ndjson", "application/ndjson", "application/jsonl"])(
    "lines as %s",
    async (type) => {
      const file = `${JSON.stringify(event())}\n{\n\n${JSON.stringify(event())}\n`;
      const { body } = await send(file, { "content-type": type });
      expect(body).toMatchObject({ events: 2, error_count: 1, rows: 3, errors: [{ line: 2 }] });
    },
  );

  test.each(["gzip", "GZIP"])("%s", async (coding) => {
    const { body } = await send(gzipSync(csv(row())), { ...CSV, "content-encoding": coding });
    expect(body).toMatchObject({ events: 1, rows: 1 });
  });
});

test("every field of an event can be a column", () => {
  const fields = Object.keys(EventSchema.properties);
  expect(IMPORT_COLUMNS.filter((name) => name !== "variables").sort()).toEqual(fields.sort());
});

describe("what cannot be imported at all", () => {
  const json = { "content-type": "application/json" };
  test.each([
    { name: "a CSV without a required column", body: "event_id,type\n1,2", headers: CSV, says: /user_id/ },
    { name: "a CSV with a column twice", body: `${HEAD},prompt\n`, headers: CSV, says: /twice/ },
    { name: "blank lines", body: "\n\n", headers: CSV, says: /no header/ },
    { name: "JSON that is no list", body: '{"a":1}', headers: json, says: /array of events/ },
    { name: "no JSON", body: "event", headers: json, says: /array of events/ },
    { name: "an empty body", body: "", headers: CSV, says: /empty/ },
    {
      name: "an empty gzip",
      body: gzipSync(""),
      headers: { ...CSV, "content-encoding": "gzip" },
      says: /empty/,
    },
    { name: "no gzip", body: csv(row()), headers: { ...CSV, "content-encoding": "gzip" }, says: /gzip/ },
  ])("$name is 400", async ({ body, headers, says }) => {
    const { status, body: problem } = await send(body, headers);
    expect([status, slugOf(problem)]).toEqual([400, "invalid-body"]);
    expect(problem.detail).toMatch(says);
  });

  test.each([
    { headers: { "content-type": "application/xml" } },
    { headers: { "content-type": "text/csv; charset=iso-8859-1" } },
    { headers: { ...CSV, "content-encoding": "br" } },
  ])("$headers is 415", async ({ headers }) => {
    const { status, body } = await send(csv(row()), headers);
    expect([status, slugOf(body)]).toEqual([415, "unsupported-media-type"]);
  });

  test("the 415 names the three formats", async () => {
    const { body } = await send("x", { "content-type": "text/plain" });
    for (const type of ["text/csv", "application/json", "application/x-ndjson"])
      expect(body.detail).toContain(type);
  });

  test("an unknown query parameter is 400", async () => {
    for (const query of ["?dry_run=yes", "?dryrun=true"]) {
      const { status, body } = await send(csv(row()), CSV, PATH + query);
      expect([status, slugOf(body)]).toEqual([400, "invalid-query"]);
    }
  });

  test("a publishable key, or none, is 401", async () => {
    const publishable = await api.newKey("publishable");
    const options = { body: csv(row()), headers: CSV };
    for (const used of [publishable, "", "svc_sk_unknown"]) {
      const { status } = await api.call<WireProblem>("POST", PATH, { ...options, key: used });
      expect(status).toBe(401);
    }
  });
});

describe("size", () => {
  /** Announces a body without sending all of it; resolves to the answer's status and problem. */
  async function announce(headers: Readonly<Record<string, string>>, body: Iterable<Buffer> = []) {
    const sent = request(api.service.url + PATH, {
      method: "POST",
      headers: { "x-api-key": key, ...CSV, ...headers },
    });
    const answered = once(sent, "response");
    sent.on("error", () => undefined);
    for (const piece of body) if (!sent.write(piece)) await Promise.race([once(sent, "drain"), answered]);
    sent.flushHeaders();
    const [response] = await answered;
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    sent.destroy();
    return {
      status: response.statusCode,
      problem: JSON.parse(Buffer.concat(chunks).toString()) as WireProblem,
    };
  }

  test("a Content-Length over 100 MiB is 413 before anything is read", async () => {
    const { status, problem } = await announce({ "content-length": String(100 * 1024 ** 2 + 1) });
    expect([status, slugOf(problem)]).toEqual([413, "body-too-large"]);
    expect(problem.detail).toMatch(/100 MiB/);
  });

  test("a stream that decompresses to more ends with 413, which says how far it came", async () => {
    // Blank lines, and few of them: a hundred million would only take their time. Compressed once: a file may have several parts.
    const blank = gzipSync(Buffer.alloc(1024 ** 2, `${" ".repeat(64 * 1024)}\n`));
    const rows = [event(), event()].map((one) => `${JSON.stringify(one)}\n`);
    const file = Buffer.concat([gzipSync(rows.join("")), ...Array.from({ length: 101 }, () => blank)]);
    const headers = { "content-type": "application/x-ndjson", "content-encoding": "gzip" };
    const { status, body } = await send(file, headers);
    expect([status, slugOf(body)]).toEqual([413, "body-too-large"]);
    expect(body.detail).toMatch(/2 rows up to line 2 were accepted .* safe/);
  });

  test("a file that is refused at its first line is read to its end, so that the answer arrives", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const file = Buffer.from(`no header\n${"x".repeat(30 * 1024 ** 2)}`);
    for (const body of [file, gzipSync(file, { level: 0 }), file]) {
      const encoding = body === file ? {} : { "content-encoding": "gzip" };
      const headers = { "x-api-key": key, ...CSV, ...encoding };
      const sent = request(api.service.url + PATH, { method: "POST", headers, agent });
      sent.end(body);
      const [[response]] = await Promise.all([once(sent, "response"), once(sent, "finish")]);
      response.resume();
      expect(response.statusCode).toBe(400);
      await once(response, "end");
    }
    agent.destroy();
  });

  test("far more errors than are listed are all counted", async () => {
    const { body } = await send(csv("a,b\n".repeat(300_000)));
    expect(body).toMatchObject({ events: 0, error_count: 300_000, rows: 300_000 });
    expect(body.errors).toHaveLength(1_000);
    expect(body.errors.at(-1)?.line).toBe(1_001);
  });

  test("more rows than one batch holds keep their lines", async () => {
    const rows = Array.from({ length: 2_500 }, (_, index) => (index % 1_000 === 999 ? row("") : row()));
    const { body } = await send(csv(...rows));
    expect(body).toMatchObject({ events: 2_498, error_count: 2, rows: 2_500 });
    expect(body.errors.map(({ line }) => line)).toEqual([1_001, 2_001]);
  });
});

test("a dry run stores nothing; the file then counts once, however often it is sent", async () => {
  const file = csv(row(), row(), "broken");
  const before = await storedExposures();
  const dry = await send(file, CSV, `${PATH}?dry_run=true`);
  expect(dry.body).toMatchObject({ events: 2, error_count: 1, rows: 3, dry_run: true });
  expect(await storedExposures()).toBe(before);
  for (const query of ["", "?dry_run=false"]) {
    const { body } = await send(file, CSV, PATH + query);
    expect(body).toMatchObject({ events: 2, error_count: 1, rows: 3, dry_run: false });
  }
  expect(await storedExposures()).toBe(before + 2);
});

test("a connection that breaks half-way keeps what was accepted, and leaves no thread and no error behind", async () => {
  const before = await metric("assay_events_accepted_total");
  const sent = request(api.service.url + PATH, { method: "POST", headers: { "x-api-key": key, ...CSV } });
  sent.on("error", () => undefined);
  sent.write(`${csv(...Array.from({ length: 20_000 }, () => row()))}\n`);
  await expect.poll(() => metric("assay_events_accepted_total")).toBeGreaterThan(before);
  sent.destroy();
  // Both slots are free again: two imports at once run through.
  const answers = await Promise.all([send(csv(row())), send(csv(row()))]);
  expect(answers.map(({ body }) => body.events)).toEqual([1, 1]);
  expect(api.logged()).not.toContain("a request failed");
});

test("a service that stops says how far the import came", async () => {
  const stopping = await openTestService({ rateLimits });
  const { body } = await stopping.call<WireExperiment>("POST", "/v1/experiments", {
    body: experimentBody("imported"),
  });
  const headers = { "x-api-key": await stopping.newKey("secret"), ...CSV };
  const sent = request(stopping.service.url + PATH, { method: "POST", headers });
  const answered = once(sent, "response");
  sent.on("error", () => undefined);
  sent.write(`${csv(...Array.from({ length: 20_000 }, () => row()))}\n`);
  const accepted = async () => (await stopping.call<string>("GET", "/metrics")).body;
  await expect.poll(accepted).toMatch(/^assay_events_accepted_total [1-9]/m);
  const stopped = stopping.stop();
  const [response] = await answered;
  expect([body.name, response.statusCode, response.headers["retry-after"]]).toEqual(["imported", 503, "10"]);
  expect(Buffer.concat(await response.toArray()).toString()).toMatch(
    /stopping.*rows up to line \d+ were accepted/,
  );
  await stopped;
});
