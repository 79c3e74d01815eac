import { randomBytes, randomUUID } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import pg from "pg";
import { Webhook } from "standardwebhooks";
import { afterAll, expect, test } from "vitest";
import { isNight } from "../in-night.ts";
import { cleanUp } from "./support/clean-up.ts";
import { createExperiment } from "./support/experiment.ts";
import { type Environment, NODE, ROOT, startProgram } from "./support/program.ts";
import { attach, ownerSession, type RunningService } from "./support/service.ts";
import { sharedEngines } from "./support/shared-engines.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const DEBUG_SERVER = join(ROOT, "tests/e2e/support/debug-server.ts");
const databaseUrl = process.env.ASSAY_TEST_DATABASE_URL;

afterAll(cleanUp);

const billing: Environment = {
  ASSAY_BILLING_SECRET_KEY: `sk_test_${randomBytes(16).toString("hex")}`,
  ASSAY_BILLING_WEBHOOK_SECRET: `whsec_${randomBytes(16).toString("hex")}`,
  ASSAY_BILLING_PRICE_PRO: "price_pro",
  ASSAY_BILLING_PRICE_BUSINESS: "price_business",
  // Nobody listens there: what the library says of it is logged.
  ASSAY_BILLING_API_URL: "http://127.0.0.1:9",
};

/** A collector that is not there: what the library says of it is logged, too. */
const traces: Environment = {
  OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=${randomBytes(16).toString("hex")}`,
};

const alerts: Environment = { ASSAY_ALERTS_PRIVATE_ADDRESSES: "allow" };

type Headers = Readonly<Record<string, string>>;

/** Everything that was said, and what of it is secret. */
class Story {
  readonly secrets = new Map<string, string>();
  readonly #answers: { readonly step: string; readonly text: string }[] = [];
  readonly #service: RunningService;

  constructor(service: RunningService) {
    this.#service = service;
  }

  /** Sends one request and keeps all of its answer, headers too. */
  async ask(step: string, line: string, { body, ...request }: { body?: unknown; headers?: Headers } = {}) {
    const [method = "", path = ""] = line.split(" ");
    const isText = typeof body === "string";
    const response = await fetch(this.#service.url + path, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...request.headers },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    this.#answers.push({ step, text: `${JSON.stringify([...response.headers])}\n${text}` });
    const parsed = /json/.test(response.headers.get("content-type") ?? "") ? JSON.parse(text) : {};
    return { status: response.status, headers: response.headers, body: parsed as Record<string, string> };
  }

  keep(name: string, secret: string | undefined): string {
    if (secret === undefined || secret.length < 12) throw new Error(`There is no secret ${name}.`);
    this.secrets.set(name, secret);
    return secret;
  }

  /** The steps whose answers carried each secret. */
  handedOut(): Readonly<Record<string, readonly string[]>> {
    const steps = (secret: string) =>
      this.#answers.filter(({ text }) => text.includes(secret)).map(({ step }) => step);
    return Object.fromEntries([...this.secrets].map(([name, secret]) => [name, steps(secret)]));
  }

  /** The names of the secrets in a text or in bytes. */
  found(content: string | Buffer): readonly string[] {
    return [...this.secrets].filter(([, secret]) => content.includes(secret)).map(([name]) => name);
  }
}

/** Rotates, reveals, invites, signs in and out, and does all of it wrong as well. */
async function tell(story: Story, service: RunningService, breakTable: BreakTable): Promise<void> {
  const headers = await ownerSession(service);
  story.keep("session", headers.authorization?.slice("Bearer ".length));
  const experimentId = await createExperiment(service, { session: headers, key: {} }, "secretive");

  const rotated = await story.ask("rotate", "POST /v1/keys", { headers, body: { scope: "secret" } });
  const key = story.keep("key", rotated.body.key);
  await story.ask("reveal", "GET /v1/keys/secret/reveal", { headers });
  await story.ask("keys", "GET /v1/keys", { headers });
  const signing = await story.ask("webhook-secret", "POST /v1/webhook-secrets", { headers });
  const secret = story.keep("webhook secret", signing.body.secret);
  await sendSigned(story, { secret, experimentId });
  await useAlerts(story, headers);
  await signInAndOut(story, headers, service.url);
  await misplace(story, { key, headers, experimentId });
  const checkout = { headers, body: { plan: "pro" } };
  expect((await story.ask("checkout", "POST /v1/billing/checkout-session", checkout)).status).toBe(503);
  await failInside(story, { headers, key, breakTable, url: service.url });
  expect((await story.ask("audit", "GET /v1/audit?limit=200", { headers })).status).toBe(200);
}

async function sendSigned(story: Story, { secret, experimentId }: { secret: string; experimentId: string }) {
  const event = { experiment_id: experimentId, user_id: "u", variant: "control", business_metric: "bought" };
  const body = JSON.stringify(event);
  const [id, at] = [randomUUID(), new Date()];
  const signature = story.keep("signature", new Webhook(secret).sign(id, at, body));
  const signed = {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": signature,
  };
  expect((await story.ask("signed", "POST /v1/business-events", { headers: signed, body })).status).toBe(202);
  const altered = { headers: signed, body: `${body} ` };
  expect((await story.ask("forged", "POST /v1/business-events", altered)).status).toBe(401);
}

/** Nobody listens at the address, so that a failure is told, too. */
async function useAlerts(story: Story, headers: Headers): Promise<void> {
  const token = story.keep("alert token", randomBytes(24).toString("base64url"));
  const body = { name: "on call", kind: "webhook", url: `https://127.0.0.1:9/hook?token=${token}` };
  const made = await story.ask("alert-channel", "POST /v1/alert-channels", { headers, body });
  story.keep("alert secret", made.body.secret);
  const path = `/v1/alert-channels/${made.body.id}`;
  const rotated = await story.ask("alert-secret", `POST ${path}/secret`, { headers });
  story.keep("new alert secret", rotated.body.secret);
  expect((await story.ask("alert-test", `POST ${path}/test`, { headers })).status).toBe(200);
  await story.ask("alert-channels", "GET /v1/alert-channels", { headers });
  await story.ask("alert-deliveries", `GET ${path}/deliveries`, { headers });
  const wrong = { ...body, url: `ftp://127.0.0.1/hook?token=${token}` };
  expect((await story.ask("alert-refused", "POST /v1/alert-channels", { headers, body: wrong })).status).toBe(
    400,
  );
}

async function signInAndOut(story: Story, headers: Headers, origin: string): Promise<void> {
  const body = { email: "guest@example.com", name: "Guest" };
  const invited = await story.ask("invite", "POST /v1/invitations", { headers, body });
  const ticket = story.keep("ticket", invited.body.url?.split("ticket=")[1]);
  await story.ask("invitations", "GET /v1/invitations", { headers });
  const signIn = { headers: { origin }, body: { ticket } };
  const first = await story.ask("sign-in", "POST /auth/sign-in", signIn);
  expect(first.status).toBe(204);
  const session = /__session=([^;]+)/.exec(first.headers.get("set-cookie") ?? "")?.[1];
  const cookie = `__session=${story.keep("cookie", session)}`;
  expect((await story.ask("sign-in again", "POST /auth/sign-in", signIn)).status).toBe(401);
  await story.ask("members", "GET /v1/members", { headers: { cookie } });
  expect((await story.ask("sign-out", "POST /auth/sign-out", { headers: { cookie, origin } })).status).toBe(
    204,
  );
  expect((await story.ask("after", "GET /v1/whoami", { headers: { cookie } })).status).toBe(401);
}

interface Places {
  readonly key: string;
  readonly headers: Headers;
  readonly experimentId: string;
}

/** Secrets where they do not belong: each is refused, and not repeated. */
async function misplace(story: Story, { key, headers, experimentId }: Places): Promise<void> {
  const token = headers.authorization ?? "";
  const wrong = story.keep("wrong key", `svc_sk_${randomBytes(24).toString("base64url")}`);
  const steps: readonly { line: string; request: { headers?: Headers; body?: unknown }; status: number }[] = [
    { line: "GET /v1/config", request: { headers: { "x-api-key": wrong } }, status: 401 },
    { line: "GET /v1/config", request: { headers: { "x-api-key": token } }, status: 401 },
    { line: "GET /v1/whoami", request: { headers: { authorization: `Bearer ${key}` } }, status: 401 },
    { line: "GET /v1/whoami", request: { headers: { authorization: key } }, status: 401 },
    { line: "GET /v1/whoami", request: { headers: { "x-request-id": key, traceparent: key } }, status: 401 },
    { line: `GET /v1/config?key=${key}`, request: {}, status: 401 },
    { line: `GET /v1/nothing?token=${token.slice(7)}`, request: {}, status: 404 },
    { line: "POST /v1/keys", request: { headers, body: { scope: key } }, status: 400 },
    { line: "POST /v1/keys", request: { headers, body: `{"scope":"${key}"` }, status: 400 },
    {
      line: "POST /v1/assign",
      request: { headers: { "x-api-key": key }, body: { user_id: 1 } },
      status: 400,
    },
    {
      line: `PUT /v1/experiments/${experimentId}`,
      request: { headers, body: { name: 1, salt: key } },
      status: 400,
    },
  ];
  for (const { line, request, status } of steps)
    expect([line, (await story.ask("misplaced", line, request)).status]).toEqual([line, status]);
}

/** Runs `work` while a table is gone: what the service then does is a bug to it, and answered 500. */
type BreakTable = (table: string, work: () => Promise<void>) => Promise<void>;

interface Inside {
  readonly headers: Headers;
  readonly key: string;
  readonly url: string;
  readonly breakTable: BreakTable;
}

async function failInside(story: Story, { headers, key, url, breakTable }: Inside): Promise<void> {
  const failed = async (line: string, request: { body?: unknown; headers?: Headers }) =>
    expect([line, (await story.ask("failed", line, request)).status]).toEqual([line, 500]);
  const unknown = { "x-api-key": `${key}x` };
  await breakTable("api_keys", async () => {
    await failed("POST /v1/keys", { headers, body: { scope: "secret" } });
    await failed("GET /v1/keys/secret/reveal", { headers });
    await failed("GET /v1/config", { headers: unknown });
  });
  await breakTable("webhook_secrets", () => failed("POST /v1/webhook-secrets", { headers }));
  const ticket = story.keep("lost ticket", randomBytes(32).toString("base64url"));
  await breakTable("sign_in_links", () =>
    failed("POST /auth/sign-in", { headers: { origin: url }, body: { ticket } }),
  );
  await breakTable("memberships", () => failed("GET /v1/whoami", { headers }));
}

const HANDED_OUT = {
  session: [],
  key: ["rotate", "reveal"],
  "webhook secret": ["webhook-secret"],
  signature: [],
  "alert token": [],
  "alert secret": ["alert-channel"],
  "new alert secret": ["alert-secret"],
  ticket: ["invite"],
  cookie: ["sign-in"],
  "wrong key": [],
  "lost ticket": [],
};

async function startDebugServer(env: Environment): Promise<RunningService> {
  const dataDir = temporaryFolder();
  const program = startProgram(NODE, [DEBUG_SERVER], { ASSAY_PORT: "0", ASSAY_DATA_DIR: dataDir, ...env });
  return attach(program, dataDir, env);
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
}

/** What a private key is to a reader of bytes: its base64 without the frame. */
const pemBody = (pem: string) => pem.split("\n").slice(1, -2).join("");

test("no secret is in the log, in an answer that should not contain it, or in plain text in the data folder", async () => {
  const service = await startDebugServer({ ...billing, ...traces, ...alerts });
  const story = new Story(service);
  await tell(story, service, async (table, work) => {
    const database = new Database(join(service.dataDir, "control.sqlite"));
    database.exec(`alter table ${table} rename to gone`);
    await work().finally(() => {
      database.exec(`alter table gone rename to ${table}`);
      database.close();
    });
  });
  const secretFiles: Readonly<Record<string, string>> = {
    "identity.key": "signing key",
    "master.key": "master key",
  };
  const read = (name: string) => readFileSync(join(service.dataDir, name));
  story.keep("master key", read("master.key").toString("utf8").trim());
  story.keep("signing key", pemBody(read("identity.key").toString("utf8")));
  for (const [name, value] of Object.entries(billing).filter(([name]) => /SECRET/.test(name)))
    story.keep(name, value);
  story.keep("collector's token", traces.OTEL_EXPORTER_OTLP_HEADERS?.split("=")[1]);
  const nowhere = Object.fromEntries([...story.secrets.keys()].map((name) => [name, []]));
  expect(story.handedOut()).toEqual({ ...nowhere, ...HANDED_OUT });
  await service.stop();
  const { program } = service;
  expect(program.stderr()).toContain("a request failed");
  expect(program.stderr()).toContain("could not send the last spans");
  expect(story.found(program.stdout() + program.stderr())).toEqual([]);
  for (const name of filesIn(service.dataDir)) {
    const secret = secretFiles[name];
    expect([name, story.found(read(name))]).toEqual([name, secret === undefined ? [] : [secret]]);
    if (secret !== undefined) expect(statSync(join(service.dataDir, name)).mode & 0o777).toBe(0o600);
  }
});

if (databaseUrl === undefined) {
  console.warn("NOT RUN: secrets with PostgreSQL. Set ASSAY_TEST_DATABASE_URL to run it.");
  test.skip("NOT RUN: secrets with PostgreSQL (ASSAY_TEST_DATABASE_URL is not set)", () => {});
} else {
  test.runIf(isNight())(
    "nor with secrets from the environment, where the database is PostgreSQL",
    async () => {
      const engines = await sharedEngines(databaseUrl);
      const url = new URL(engines.ASSAY_DATABASE_URL ?? "");
      url.password ||= randomBytes(12).toString("hex");
      const env: Environment = { ...billing, ...alerts, ...engines, ASSAY_DATABASE_URL: url.href };
      const service = await startDebugServer(env);
      const story = new Story(service);
      const client = new pg.Client({ connectionString: env.ASSAY_DATABASE_URL });
      await client.connect();
      await tell(story, service, async (table, work) => {
        await client.query(`alter table ${table} rename to gone`);
        await work().finally(() => client.query(`alter table gone rename to ${table}`));
      });
      story.keep("master key", env.ASSAY_MASTER_KEY);
      story.keep("database password", url.password);
      story.keep("event store password", new URL(env.ASSAY_EVENTS_URL ?? "").password);
      const nowhere = Object.fromEntries([...story.secrets.keys()].map((name) => [name, []]));
      expect(story.handedOut()).toEqual({ ...nowhere, ...HANDED_OUT });
      const tables = await client.query<{ name: string }>(
        "select table_name as name from information_schema.tables where table_schema = current_schema()",
      );
      expect(tables.rows.length).toBeGreaterThan(15);
      for (const { name } of tables.rows) {
        const { rows } = await client.query(`select * from ${name}`);
        expect([name, story.found(JSON.stringify(rows))]).toEqual([name, []]);
      }
      await client.end();
      await service.stop();
      expect(story.found(service.program.stdout() + service.program.stderr())).toEqual([]);
    },
  );
}
