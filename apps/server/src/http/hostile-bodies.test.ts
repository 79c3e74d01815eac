import { createHmac, randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { type Operation, operations, problems, problemsOf } from "@assay/contract";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isNight } from "../../../../tests/in-night.ts";
import { DEFAULT_CLAIMS } from "../settings/identity-settings.ts";
import { parseSettings } from "../settings.ts";
import { experimentBody, slugOf, type WireProblem } from "../test-support/experiments.ts";
import { type Answer, openTestService, type TestService } from "../test-support/test-service.ts";

const MIB = 1024 * 1024;
const NO_LIMIT = 999_999_999;
const IDENTITY_SECRET = "whsec_aWRlbnRpdHkgd2ViaG9vayBzZWNyZXQ=";
const BILLING_SECRET = "whsec_billing";

/** Sessions signed here; and beside it a service whose identity provider signs its webhooks. */
let api: TestService;
let withProvider: TestService;
let experimentId: string;
let key: string;
let orgSecret: string;

beforeAll(async () => {
  const { rateLimits } = parseSettings({});
  api = await openTestService({
    rateLimits: { ...rateLimits, importPerMinute: NO_LIMIT },
    contactPerHour: NO_LIMIT,
    billing: {
      secretKey: "sk_test_none",
      webhookSecret: BILLING_SECRET,
      prices: { pro: "price_pro", business: "price_business" },
      meter: null,
      apiUrl: "http://127.0.0.1:9",
    },
  });
  withProvider = await openTestService({
    identity: {
      kind: "clerk",
      issuer: "https://clerk.example.com",
      audience: "assay",
      jwksUrl: "http://127.0.0.1:9/jwks.json",
      claims: DEFAULT_CLAIMS,
      client: null,
      webhookSecret: IDENTITY_SECRET,
      api: null,
    },
  });
  key = await api.newKey("secret");
  orgSecret = (await api.call<{ secret: string }>("POST", "/v1/webhook-secrets")).body.secret;
  const created = await api.call<{ id: string }>("POST", "/v1/experiments", {
    body: experimentBody("target"),
  });
  experimentId = created.body.id;
  // No body loads a demo, which takes seconds: both of its names are taken.
  for (const name of ["answer-style", "answer-style (demo)"])
    await api.call("POST", "/v1/experiments", { body: experimentBody(name) });
});
afterAll(() => Promise.all([api.stop(), withProvider.stop()]));

type Body = string | Uint8Array<ArrayBuffer>;
type Headers = Readonly<Record<string, string>>;

/** Signs after Standard Webhooks, as an org's application and the identity provider do. */
function standardSignature(secret: string, body: Body): Headers {
  const [id, at] = [randomUUID(), new Date()];
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign(id, at, Buffer.from(body as string).toString("utf8")),
  };
}

function billingSignature(body: Body): Headers {
  const at = Math.floor(Date.now() / 1000);
  const signed = createHmac("sha256", BILLING_SECRET).update(`${at}.`).update(body).digest("hex");
  return { "stripe-signature": `t=${at},v1=${signed}` };
}

/** A credential that is good, whatever the body. */
async function credentialFor({ auth }: Operation, body: Body): Promise<Headers> {
  if (auth.kind === "key") return { "x-api-key": key };
  if (auth.kind === "none") return {};
  if (auth.kind !== "signature") return { authorization: `Bearer ${await api.token()}` };
  if (auth.by === "billing") return billingSignature(body);
  return standardSignature(auth.by === "org" ? orgSecret : IDENTITY_SECRET, body);
}

/** The address with ids that exist where the test made some. */
function pathFor({ operationId, path }: Operation): string {
  if (operationId === "uploadDataset") return `${path}?name=hostile`;
  return path.replace("{id}", path.startsWith("/v1/experiments/") ? experimentId : randomUUID());
}

async function send(operation: Operation, body: Body, headers: Headers = {}): Promise<Answer<WireProblem>> {
  const { auth } = operation;
  const isIdentity = auth.kind === "signature" && auth.by === "identity";
  const { url } = (isIdentity ? withProvider : api).service;
  const response = await fetch(url + pathFor(operation), {
    method: operation.method,
    headers: { "content-type": "application/json", ...(await credentialFor(operation, body)), ...headers },
    body,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) };
}

/** Every answer is documented, other errors are problem details, and the runtime is unchanged. */
function expectDocumented(operation: Operation, { status, headers, body }: Answer<WireProblem>): void {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(Reflect.has({}, "polluted")).toBe(false);
  expect(status).toBeLessThan(500);
  // `check-answers.ts` compares the body of an answer that the operation declares.
  if (status in operation.answers) return;
  expect(status).toBeGreaterThanOrEqual(400);
  if (operation.hasRpcErrors || operation.hasLangfuseErrors) {
    expect(problemsOf(operation).map((kind) => problems[kind].status)).toContain(status);
    expect(headers.get("content-type")).toMatch(/^application\/(json(; charset=utf-8)?|x-protobuf)$/);
    if (operation.hasLangfuseErrors)
      expect(body).toEqual({ message: expect.any(String), error: expect.any(String) });
    return;
  }
  expect(headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
  const kinds = problemsOf(operation).filter((kind) => problems[kind].status === status);
  expect(kinds).toContain(slugOf(body));
}

const nested = (open: string, close: string) => `${open.repeat(100_000)}0${close.repeat(100_000)}`;

const bodies: readonly { name: string; body: Body; headers?: Headers; status?: number }[] = [
  { name: "a prototype key", body: '{"__proto__":{"polluted":true}}' },
  { name: "a prototype key, escaped", body: '{"\\u005f_proto__":{"polluted":true}}' },
  { name: "a prototype key, deep down", body: '{"a":[{"b":{"__proto__":{"polluted":true}}}]}' },
  { name: "a constructor's prototype", body: '{"constructor":{"prototype":{"polluted":true}}}' },
  { name: "names of methods", body: '{"toString":1,"hasOwnProperty":null,"valueOf":{},"then":1}' },
  { name: "arrays 100,000 deep", body: nested("[", "]") },
  { name: "objects 100,000 deep", body: nested('{"a":', "}") },
  { name: "payloads 100,000 deep", body: `[${nested('{"payload":', "}")}]` },
  { name: "an array that never ends", body: "[".repeat(100_000) },
  { name: "NUL", body: '{"name":"a\\u0000b","\\u0000":1}' },
  { name: "half a surrogate pair", body: '{"name":"\\ud800","\\udfff":1}' },
  {
    name: "numbers out of range",
    body: '{"a":1e999,"b":-1e999,"c":-0,"d":1e-999,"e":123456789012345678901234567890}',
  },
  { name: "a key twice", body: '{"name":"a","name":{"b":1}}' },
  { name: "invalid UTF-8", body: Uint8Array.from([0x7b, 0x22, 0xff, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d]) },
  { name: "a byte order mark", body: Uint8Array.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]) },
  { name: "nothing", body: "" },
  { name: "white space", body: " \n\t" },
  { name: "null", body: "null" },
  { name: "true", body: "true" },
  { name: "a number", body: "-0" },
  { name: "a string", body: '"{}"' },
  { name: "an empty array", body: "[]" },
  { name: "an array of nothings", body: '[null,[],{},0,""]' },
  { name: "no JSON", body: "{'name':undefined}" },
  { name: "two values", body: "{}{}" },
  { name: "fields without end", body: `{${Array.from({ length: 50_000 }, (_, i) => `"f${i}":${i}`)}}` },
  {
    name: "form data",
    body: "name=a",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    status: 415,
  },
  { name: "plain text", body: "{}", headers: { "content-type": "text/plain" }, status: 415 },
  { name: "an invalid media type", body: "{}", headers: { "content-type": "json" }, status: 415 },
  { name: "an unknown encoding", body: "{}", headers: { "content-encoding": "br" }, status: 415 },
  { name: "invalid gzip", body: "{}", headers: { "content-encoding": "gzip" } },
];

const withBody = operations.filter(({ body }) => body !== undefined);
/** Signed bodies are read as they come, whatever they call themselves; a file's type names its format; metrics are not read. */
const readsAnyType = ({ operationId }: Operation) =>
  ["importEvents", "uploadDataset", "receiveStripeEvent", "ingestOtlpMetrics"].includes(operationId);

/** On a push each operation gets every fourth body, and the next one the next. */
const bodiesOf = (operation: number) => bodies.filter((_, body) => isNight() || (body + operation) % 4 === 0);

describe.each(
  withBody.map((operation, index) => ({ name: `${operation.method} ${operation.path}`, operation, index })),
)("$name", ({ operation, index }) => {
  test.each(bodiesOf(index))("$name gets a documented answer", async ({ body, headers, status }) => {
    const answer = await send(operation, body, headers);
    expectDocumented(operation, answer);
    if (status !== undefined && !readsAnyType(operation)) expect(answer.status).toBe(status);
  });

  // A file may be larger: its limit has a test of its own beside the import and the upload.
  if (["importEvents", "uploadDataset"].includes(operation.operationId)) return;
  test("more than it takes is 413", async () => {
    const size = operation.auth.kind === "key" ? 5 * MIB : 2 * MIB;
    const answer = await send(operation, `"${"x".repeat(size)}"`);
    expectDocumented(operation, answer);
    expect(answer.status).toBe(413);
  });
});

test("a gzip bomb is 413, and costs no memory", async () => {
  const operation = withBody.find(({ operationId }) => operationId === "ingestEvents") as Operation;
  const bomb = gzipSync(Buffer.alloc(200 * MIB, " "), { level: 9 });
  const before = process.memoryUsage().rss;
  const answer = await send(operation, new Uint8Array(bomb), { "content-encoding": "gzip" });
  expect(answer.status).toBe(413);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * MIB);
});

describe("what may hold any JSON keeps it as data, or refuses it", () => {
  const withVariables = (name: string, variables: string) =>
    JSON.stringify(
      experimentBody(name, {
        variants: [{ key: "control", variables: "@" }, { key: "treatment" }],
      }),
    ).replace('"@"', variables);
  const create = (name: string, variables: string) =>
    api.call<{ id: string; variants: readonly { variables: unknown }[] } & WireProblem>(
      "POST",
      "/v1/experiments",
      {
        body: withVariables(name, variables),
        headers: { "content-type": "application/json" },
      },
    );

  test.each([
    { name: "prototype keys", variables: '{"a":{"__proto__":{"polluted":true}}}', pointer: "" },
    { name: "a NUL", variables: '{"a":["x\\u0000"]}', pointer: "/variants/0/variables/a/0" },
    { name: "half a surrogate pair", variables: '{"a/b":"\\udead"}', pointer: "/variants/0/variables/a~1b" },
    { name: "a name with a NUL", variables: '{"a":{"\\u0000":1}}', pointer: "/variants/0/variables/a" },
  ])("$name: refused", async ({ name, variables, pointer }) => {
    const answer = await create(name, variables);
    expect(answer.status).toBe(400);
    expect(answer.body.errors?.map((fault) => fault.pointer)).toEqual([pointer]);
  });

  test("QA users under a name with a line break: refused", async () => {
    const body = experimentBody("broken", { qa_users: { "\n": {} } });
    const answer = await api.call<WireProblem>("POST", "/v1/experiments", { body });
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: expect.stringMatching(/^.qa_users/) }] },
    });
  });

  test("deeper than 100 levels: refused", async () => {
    const answer = await create("deep", `{"a":${"[".repeat(100)}${"]".repeat(100)}}`);
    expect(answer.body).toMatchObject({
      status: 400,
      errors: [{ detail: expect.stringContaining("100 levels") }],
    });
  });

  test("odd names, odd text and odd numbers: kept", async () => {
    const odd = `{"constructor":1,"toString":"</script>","":{"a":[1e300,-0.5,1e-300,null,"\\u2028\\uffff😀"]},"length":{"prototype":1}}`;
    const { status, body } = await create("odd", odd);
    expect(status).toBe(201);
    const stored = await api.call<typeof body>("GET", `/v1/experiments/${body.id}`);
    expect(stored.body.variants[0]?.variables).toEqual(JSON.parse(odd));
  });

  test("a prototype key in an event's metadata is a name like any other", async () => {
    const event = (id: string) =>
      `{"event_id":"${id}","type":"exposure","experiment_id":"${experimentId}","user_id":"u","variant":"control",` +
      `"timestamp":${Date.now()},"metadata":{"__proto__":{"polluted":true}},"__proto__":{"type":"model_call"}}`;
    const body = `{"events":[${event("a")},{"payload":${event("b")}}]}`;
    const headers = { "content-type": "application/json" };
    const answer = await api.call("POST", "/v1/events", { key, body, headers });
    expect(answer).toMatchObject({ status: 202, body: { accepted: 2, rejected: [] } });
    expect(Reflect.has({}, "polluted")).toBe(false);
  });
});
