import { connect } from "node:net";
import { expect } from "vitest";
import { parseSettings } from "../../apps/server/src/settings.ts";
import { openTestService, type TestService } from "../../apps/server/src/test-support/test-service.ts";

/** What attacks are sent to: one service with a running experiment, and the credentials that an attacker may hold. */
export interface Target {
  readonly api: TestService;
  readonly experimentId: string;
  readonly keys: { readonly secret: string; readonly publishable: string };
}

/** Whose credential a request carries. */
export type Attacker = "nobody" | "member" | "owner" | "secret" | "publishable";

export interface AttackRequest {
  readonly method: string;
  readonly path: string;
  readonly as: Attacker;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

export interface AttackAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; null when it is not JSON. */
  readonly json: unknown;
}

/** One row of a table of attacks. What holds for every answer (`attack`) is not repeated in the rows. */
export interface Attack {
  readonly name: string;
  readonly request: AttackRequest | ((target: Target) => AttackRequest | Promise<AttackRequest>);
  /** Any of these. */
  readonly status: number | readonly number[];
  /** Text that the answer must contain. */
  readonly says?: string | RegExp;
  /** What must hold besides. */
  readonly holds?: (answer: AttackAnswer, target: Target) => void | Promise<void>;
}

const ENOUGH_BYTES = 1024 ** 3;

const EXPERIMENT = {
  name: "target",
  status: "running",
  salt: "attacks",
  bucket_count: 100,
  control: "base",
  allocation: [
    { variant: "base", weight: 1 },
    { variant: "other", weight: 1 },
  ],
  metrics: [],
};

/** Starts a service to attack, whose rates the rows of a table do not reach together; the caller stops `api`. */
export async function openTarget(settings: Parameters<typeof openTestService>[0] = {}): Promise<Target> {
  const { rateLimits } = parseSettings({});
  const bytes = { publicBytesPerSecond: ENOUGH_BYTES, bytesPerSecond: ENOUGH_BYTES };
  const api = await openTestService({ rateLimits: { ...rateLimits, ...bytes }, ...settings });
  const created = await api.call<{ id: string }>("POST", "/v1/experiments", { body: EXPERIMENT });
  const keys = { secret: await api.newKey("secret"), publishable: await api.newKey("publishable") };
  return { api, experimentId: created.body.id, keys };
}

/** Makes an attack and checks what must hold: of every answer, and of this one. */
export async function attack({ request, status, says, holds }: Attack, target: Target): Promise<void> {
  const asked = typeof request === "function" ? await request(target) : request;
  const answer = await send(asked, target);
  expectSafe(answer);
  expect([status].flat(), answer.text.slice(0, 500)).toContain(answer.status);
  if (says !== undefined) expect(answer.text).toMatch(says);
  await holds?.(answer, target);
  expect((await fetch(`${target.api.service.url}/healthz`)).status).toBe(200);
}

/** Sends a request with the credential of its attacker. */
export async function send(
  { method, path, as, headers, body }: AttackRequest,
  target: Target,
): Promise<AttackAnswer> {
  const response = await fetch(target.api.service.url + path, {
    method,
    headers: { ...(await credentialOf(as, target)), ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: toJson(text) };
}

async function credentialOf(as: Attacker, { api, keys }: Target): Promise<Record<string, string>> {
  if (as === "nobody") return {};
  if (as === "secret" || as === "publishable") return { "x-api-key": keys[as] };
  const subject = as === "owner" ? {} : { email: "member@example.com", role: "member" as const };
  return { authorization: `Bearer ${await api.token(subject)}` };
}

/** No failure of the service, no trace of its inside, a problem document that says something, and an unchanged runtime. */
function expectSafe({ status, headers, text, json }: AttackAnswer): void {
  expect(status, text.slice(0, 500)).toBeLessThan(500);
  expect(text).not.toMatch(/node_modules|\.ts:\d|SQLITE_|\bat \w+ \(|better-sqlite3|ClickHouse/);
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(Reflect.has({}, "polluted")).toBe(false);
  if (status < 400) return;
  expect(headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
  expect(json).toMatchObject({
    status,
    title: expect.stringMatching(/./),
    detail: expect.stringMatching(/./),
  });
}

/** Writes bytes to the service as they are, waits for the end of the connection and returns everything it answered. */
export function sendRaw({ api }: Target, bytes: string): Promise<string> {
  const { hostname, port } = new URL(api.service.url);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let answer = "";
  const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes, "latin1"));
  socket.setEncoding("latin1").on("data", (piece: string) => {
    answer += piece;
  });
  socket.on("close", () => resolve(answer)).on("error", reject);
  return promise;
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
