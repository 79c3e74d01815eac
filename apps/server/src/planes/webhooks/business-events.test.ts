import { spawn } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testEmbedded } from "../../../../../tests/servers/embedded-only.ts";
import {
  experimentBody,
  slugOf,
  type WireExperiment,
  type WireProblem,
} from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

const none: Readonly<Record<string, string>> = {};
/** Changed by one test, read at every start. */
const settings = { masterKey: randomBytes(32) };
let api: TestService;
let experiment: WireExperiment;
let secret: string;
beforeAll(async () => {
  api = await openTestService(settings);
  experiment = await newExperiment("signed");
  secret = await newSecret();
});
afterAll(() => api.stop());

interface Ack {
  readonly accepted: number;
  readonly config_version: number;
  readonly rejected: readonly unknown[];
}

async function newExperiment(name: string, token?: string): Promise<WireExperiment> {
  const session = token === undefined ? {} : { token };
  return (
    await api.call<WireExperiment>("POST", "/v1/experiments", { body: experimentBody(name), ...session })
  ).body;
}
const newSecret = async (token?: string) =>
  (await api.call<{ secret: string }>("POST", "/v1/webhook-secrets", token === undefined ? {} : { token }))
    .body.secret;
/** Counts the stored events, once none waits any more. */
async function used(): Promise<number> {
  const waiting = async () =>
    /^assay_queue_batches (\d+)/m.exec((await api.call<string>("GET", "/metrics")).body)?.[1];
  await expect.poll(waiting, { timeout: 20_000 }).toBe("0");
  return (await api.call<{ events: { used: number } }>("GET", "/v1/usage")).body.events.used;
}
const eventOf = (change: Readonly<Record<string, unknown>> = {}) => ({
  experiment_id: experiment.id,
  user_id: "ann",
  business_metric: "bought",
  value: 12.5,
  ...change,
});

interface Signing {
  readonly secret?: string;
  readonly id?: string;
  /** Seconds from now. */
  readonly at?: number;
}

/** The three headers as a sender makes them. */
function sign(
  text: string,
  { secret: key = secret, id = `msg_${randomBytes(9).toString("hex")}`, at = 0 }: Signing = {},
) {
  const signedAt = new Date(Date.now() + at * 1000);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(signedAt.getTime() / 1000)),
    "webhook-signature": new Webhook(key).sign(id, signedAt, text),
  };
}

async function post(body: string | Buffer, headers: Readonly<Record<string, string>>) {
  const response = await fetch(`${api.service.url}/v1/business-events`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Ack & WireProblem,
  };
}

const send = (event: unknown, signing: Signing = {}, headers = none) => {
  const text = typeof event === "string" ? event : JSON.stringify(event);
  return post(text, { ...sign(text, signing), ...headers });
};

describe("a signed business event", () => {
  test("is accepted", async () => {
    const { status, headers, body } = await send(eventOf());
    expect([status, headers.get("content-type")]).toEqual([202, "application/json; charset=utf-8"]);
    expect(body).toEqual({ accepted: 1, config_version: expect.any(Number), rejected: [] });
  });

  test("is verified by the scheme as it is published", async () => {
    const text = JSON.stringify(eventOf());
    const at = Math.floor(Date.now() / 1000);
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    expect(key).toHaveLength(32);
    const mac = createHmac("sha256", key).update(`by-hand.${at}.${text}`).digest("base64");
    const headers = { "webhook-id": "by-hand", "webhook-timestamp": String(at) };
    expect((await post(text, { ...headers, "webhook-signature": `v1,${mac}` })).status).toBe(202);
    const several = `v1,${Buffer.alloc(32).toString("base64")} v1a,other v1,${mac}`;
    expect((await post(text, { ...headers, "webhook-signature": several })).status).toBe(202);
  });

  test("delivered again is the same event: stored and counted once", async () => {
    const before = await used();
    const text = JSON.stringify(eventOf({ user_id: "twice" }));
    const headers = sign(text);
    for (let delivery = 0; delivery < 3; delivery++) expect((await post(text, headers)).status).toBe(202);
    const retried = sign(text, { id: headers["webhook-id"], at: 60 });
    expect((await post(text, retried)).status).toBe(202);
    expect(await used()).toBe(before + 1);
  });

  test("is identified by its own event_id, in any delivery", async () => {
    const before = await used();
    for (const event_id of ["a", "b", "a"]) await send(eventOf({ event_id }));
    for (let i = 0; i < 2; i++) await send(eventOf({ event_id: null }), { id: "msg_null" });
    expect(await used()).toBe(before + 3);
  });

  test.each([
    { name: "nested in payload", event: () => ({ payload: eventOf() }) },
    {
      name: "with type, time and variant",
      event: () => eventOf({ type: "business_event", timestamp: Date.now(), variant: "control" }),
    },
    {
      name: "with prototype keys",
      event: () => `${JSON.stringify(eventOf()).slice(0, -1)},"__proto__":{"type":"exposure"}}`,
    },
  ])("is accepted $name", async ({ event }) => {
    expect((await send(event())).status).toBe(202);
  });

  test("is accepted compressed: the signature is that of the JSON", async () => {
    const text = JSON.stringify(eventOf());
    expect((await post(gzipSync(text), { ...sign(text), "content-encoding": "gzip" })).status).toBe(202);
  });

  test.each([
    { name: "another type", change: { type: "exposure" }, pointer: "/type", says: "business_event" },
    { name: "no user", change: { user_id: "" }, pointer: "", says: "user_id" },
    { name: "a value that is no number", change: { value: "12" }, pointer: "", says: "value" },
    {
      name: "an event_id that is too long",
      change: { event_id: "x".repeat(129) },
      pointer: "",
      says: "event_id",
    },
    {
      name: "a far future",
      change: { timestamp: Date.now() + 25 * 3_600_000 },
      pointer: "",
      says: "timestamp",
    },
  ])("with $name is refused with 400", async ({ change, pointer, says }) => {
    const { status, body } = await send(eventOf(change));
    expect([status, slugOf(body), body.errors?.[0]?.pointer]).toEqual([400, "invalid-body", pointer]);
    expect(body.detail).toContain(says);
  });

  test.each([
    { name: "text that is no JSON", body: () => "{", headers: none, status: 401 },
    { name: "nothing", body: () => "", headers: none, status: 400 },
    { name: "a list", body: () => "[]", headers: none, status: 401 },
    {
      name: "an experiment by name",
      body: () => JSON.stringify(eventOf({ experiment_id: "signed" })),
      headers: none,
      status: 401,
    },
    {
      name: "no experiment",
      body: () => JSON.stringify(eventOf({ experiment_id: null })),
      headers: none,
      status: 401,
    },
    {
      name: "nesting without end",
      body: () => `{"experiment_id":"${experiment.id}","x":${"[".repeat(60_000)}${"]".repeat(60_000)}}`,
      headers: none,
      status: 400,
    },
    {
      name: "over 256 KiB",
      body: () => JSON.stringify(eventOf({ x: "x".repeat(256 * 1024) })),
      headers: none,
      status: 413,
    },
    { name: "broken gzip", body: () => "{}", headers: { "content-encoding": "gzip" }, status: 400 },
    { name: "another encoding", body: () => "{}", headers: { "content-encoding": "br" }, status: 415 },
    { name: "another media type", body: () => "a,b", headers: { "content-type": "text/csv" }, status: 415 },
  ])("$name is refused with $status", async ({ body, headers, status }) => {
    const answer = await send(body(), {}, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json/);
  });

  test("that grows beyond 256 KiB when decompressed is refused with 413", async () => {
    const text = JSON.stringify(eventOf({ x: "x".repeat(256 * 1024) }));
    expect((await post(gzipSync(text), { ...sign(text), "content-encoding": "gzip" })).status).toBe(413);
  });
});

describe("a signature", () => {
  const text = () => JSON.stringify(eventOf());
  const without = (name: keyof ReturnType<typeof sign>) => {
    const { [name]: _, ...rest } = sign(text());
    return rest as Readonly<Record<string, string>>;
  };

  test("that does not verify gets one answer, whatever is wrong", async () => {
    const token = await api.token({ email: "o@elsewhere.org", org: "elsewhere" });
    const foreign = await newExperiment("theirs", token);
    const foreignSecret = await newSecret(token);
    const bare = await api.token({ email: "o@bare.org", org: "bare" });
    const unsecured = await newExperiment("bare", bare);
    const about = (id: string) => JSON.stringify(eventOf({ experiment_id: id }));
    const other = `whsec_${randomBytes(32).toString("base64")}`;
    const cases: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
      [text(), sign(text(), { secret: other })],
      [text(), sign(text(), { secret: foreignSecret })],
      [about(foreign.id), sign(about(foreign.id))],
      [about(unsecured.id), sign(about(unsecured.id))],
      [about(crypto.randomUUID()), sign(about(crypto.randomUUID()))],
      [text(), sign(text(), { at: -301 })],
      [text(), sign(text(), { at: 600 })],
      [text(), sign(JSON.stringify(eventOf({ value: 1e9 })))],
      [text(), { ...sign(text()), "webhook-id": "another" }],
      [text(), { ...sign(text()), "webhook-timestamp": "soon" }],
      [text(), { ...sign(text()), "webhook-timestamp": String(Math.floor(Date.now() / 1000) + 9) }],
      [text(), { ...sign(text()), "webhook-signature": "v1" }],
      [
        text(),
        { ...sign(text()), "webhook-signature": sign(text())["webhook-signature"].replace("v1,", "v2,") },
      ],
      [text(), without("webhook-id")],
      [text(), without("webhook-timestamp")],
      [text(), without("webhook-signature")],
    ];
    const before = await used();
    const answers = await Promise.all(cases.map(([body, headers]) => post(body, headers)));
    expect(answers.map(({ status }) => status)).toEqual(cases.map(() => 401));
    expect(new Set(answers.map(({ body: { instance: _, ...rest } }) => JSON.stringify(rest))).size).toBe(1);
    expect(answers.map(({ body }) => slugOf(body))[0]).toBe("invalid-signature");
    expect(await used()).toBe(before);
  });

  test("is told on the door: without the headers no body is read", async () => {
    const { status, body } = await post("{", { "webhook-id": "a" });
    expect([status, slugOf(body)]).toEqual([401, "invalid-signature"]);
  });

  test("with the secret before the last rotation does not verify", async () => {
    const old = secret;
    secret = await newSecret();
    expect((await send(eventOf(), { secret: old })).status).toBe(401);
    expect((await send(eventOf())).status).toBe(202);
  });

  test("verifies after a restart; under another master key there is none", async () => {
    const { masterKey } = settings;
    settings.masterKey = randomBytes(32);
    await expect(api.restart()).rejects.toThrow("ASSAY_MASTER_KEY is not the key");
    settings.masterKey = masterKey;
    await api.restart();
    expect((await send(eventOf())).status).toBe(202);
  });
});

/** A process of its own: SQLite's locks do not hold within one. */
const HOLD_DATABASE = `
  const db = new (require("node:sqlite").DatabaseSync)(process.argv[1]);
  db.exec("PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE");
  console.log("held");
  setInterval(() => db, 1000);
`;

testEmbedded(
  "is answered 503 while storage does not answer, and accepted when it is delivered again",
  async () => {
    // Nobody has claimed a bucket of it.
    const { id } = await newExperiment("unclaimed");
    const text = JSON.stringify(eventOf({ experiment_id: id }));
    const headers = sign(text);
    const writer = spawn(process.execPath, ["--eval", HOLD_DATABASE, join(api.dataDir, "control.sqlite")]);
    await once(writer.stdout, "data");
    const refused = await post(text, headers);
    writer.kill();
    await once(writer, "exit");
    expect([refused.status, slugOf(refused.body)]).toEqual([503, "storage-unavailable"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await post(text, headers)).status).toBe(202);
  },
);
