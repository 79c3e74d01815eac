import { createHash } from "node:crypto";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { experimentBody } from "../../apps/server/src/test-support/experiments.ts";
import { openTestService, type TestService } from "../../apps/server/src/test-support/test-service.ts";

const DAY = 86_400_000;

interface Made {
  readonly id: string;
  readonly token: string;
}
interface Event {
  readonly event: string;
  readonly reason: string | null;
  readonly left_out: number;
}
type Line = Readonly<Record<string, unknown>>;

let now = Date.parse("2026-03-10T12:00:00.000Z");
let api: TestService;
let owner: string;
let admin: Made;
let member: Made;
let otherOwner: string;
let experimentId: string;

async function make(session: string, change: object = {}): Promise<Made> {
  const body = { name: "ci", role: "member", expires_in_days: 30, ...change };
  return (await api.call<Made>("POST", "/v1/service-tokens", { token: session, body })).body;
}

const status = async (method: string, path: string, token: string, body?: unknown) =>
  (await api.call(method, path, { token, ...(body !== undefined && { body }) })).status;

/** Sends a request without any header but these. */
const bare = async (path: string, headers: Record<string, string>, init: RequestInit = {}) =>
  (await fetch(api.service.url + path, { ...init, headers })).status;

const eventsOf = async (session: string): Promise<readonly Event[]> =>
  (await api.call<{ items: readonly Event[] }>("GET", "/v1/security-events?limit=200", { token: session }))
    .body.items;

const lines = (): readonly Line[] =>
  api
    .logged()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);

beforeAll(async () => {
  api = await openTestService({}, { now: () => now });
  owner = await api.token();
  otherOwner = await api.token({ email: "owner@other.org", org: "other", role: "owner" });
  [admin, member] = [await make(owner, { role: "admin" }), await make(owner)];
  const made = await api.call<{ id: string }>("POST", "/v1/experiments", {
    body: experimentBody("secret plan"),
  });
  experimentId = made.body.id;
});
afterAll(() => api.stop());

describe("a token that is no longer valid", () => {
  test("expired: 401 from the instant of expiry", async () => {
    const { token } = await make(owner, { expires_in_days: 1 });
    expect(await status("GET", "/v1/whoami", token)).toBe(200);
    now += DAY;
    expect(await status("GET", "/v1/whoami", token)).toBe(401);
    owner = await api.token();
    otherOwner = await api.token({ email: "owner@other.org", org: "other", role: "owner" });
  });

  test("revoked: 401 at the next request, also on an open connection", async () => {
    const { id, token } = await make(owner);
    expect(await status("GET", "/v1/whoami", token)).toBe(200);
    expect(await status("DELETE", `/v1/service-tokens/${id}`, owner)).toBe(204);
    expect(await status("GET", "/v1/whoami", token)).toBe(401);
  });

  test("whose creator left the org: 401", async () => {
    const leaver = await api.token({ email: "leaver@team.org", role: "admin" });
    const { token } = await make(leaver);
    const { body } = await api.call<{ user_id: string }>("GET", "/v1/whoami", { token: leaver });
    now += 1_000;
    expect(await status("DELETE", `/v1/members/${body.user_id}`, owner)).toBe(204);
    expect(await status("GET", "/v1/whoami", token)).toBe(401);
  });

  test("revoked and used after a restart: 401", async () => {
    const { id, token } = await make(owner);
    await status("DELETE", `/v1/service-tokens/${id}`, owner);
    await api.restart();
    expect(await status("GET", "/v1/whoami", token)).toBe(401);
  });
});

describe("another org", () => {
  test("its token finds nothing in this org", async () => {
    const { token } = await make(otherOwner, { role: "admin" });
    expect(await status("GET", `/v1/experiments/${experimentId}`, token)).toBe(404);
    expect(JSON.stringify((await api.call("GET", "/v1/service-tokens", { token })).body)).not.toContain(
      admin.id,
    );
  });

  test("its owner cannot revoke a token of this org", async () => {
    expect(await status("DELETE", `/v1/service-tokens/${member.id}`, otherOwner)).toBe(404);
    expect(await status("GET", "/v1/whoami", member.token)).toBe(200);
  });

  test("a header that names an org changes nothing", async () => {
    const headers = { authorization: `Bearer ${member.token}`, "x-org-id": "other", "x-assay-org": "other" };
    const response = await fetch(`${api.service.url}/v1/whoami`, { headers });
    const mine = (await api.call<{ org_id: string }>("GET", "/v1/whoami")).body.org_id;
    expect(await response.json()).toMatchObject({ org_id: mine });
  });

  test("sees only its own security events", async () => {
    const { token } = await make(otherOwner);
    await status("GET", "/v1/security-events", token);
    expect(await eventsOf(otherOwner)).toMatchObject([
      { event: "security.permission.refused" },
      { event: "security.token.created" },
      { event: "security.token.created" },
    ]);
    expect(JSON.stringify(await eventsOf(owner))).not.toContain("owner@other.org");
  });
});

describe("more rights than a token has", () => {
  test.each([
    [
      "makes a stronger token",
      "POST",
      "/v1/service-tokens",
      { name: "x", role: "admin", expires_in_days: 365 },
    ],
    ["invites an owner", "POST", "/v1/invitations", { email: "evil@x.org", role: "owner" }],
    ["makes a key", "POST", "/v1/keys", { scope: "secret" }],
    ["makes a webhook secret", "POST", "/v1/webhook-secrets", undefined],
    ["reveals a key", "GET", "/v1/keys/secret/reveal", undefined],
    ["pays", "POST", "/v1/billing/checkout-session", { plan: "pro" }],
    ["exports a person", "GET", "/v1/users/u1/events", undefined],
    ["erases a person", "DELETE", "/v1/users/u1", undefined],
    ["reads all orgs", "GET", "/v1/admin/orgs", undefined],
    ["runs the nights of all orgs", "POST", "/v1/admin/pipeline-runs", {}],
  ])("an admin's token that %s: 403", async (_name, method, path, body) => {
    expect(await status(method, path, admin.token, body)).toBe(403);
  });

  test("a member's token cannot do what an admin may: 403", async () => {
    expect(await status("GET", "/v1/service-tokens", member.token)).toBe(403);
    expect(await status("DELETE", "/v1/prices?model=m&effective_from=2026-01-01", member.token)).toBe(403);
  });

  test("a member cannot create a token, and an admin cannot create one for nights", async () => {
    const person = await api.token({ email: "member@team.org", role: "member" });
    const chief = await api.token({ email: "admin@team.org", role: "admin" });
    const body = { name: "x", role: "member", expires_in_days: 1 };
    expect(await status("POST", "/v1/service-tokens", person, body)).toBe(403);
    expect(await status("POST", "/v1/service-tokens", chief, { ...body, runs_nights: true })).toBe(403);
  });

  test.each([
    ["an owner's role", { role: "owner" }],
    ["eternity", { expires_in_days: 36_500 }],
    ["a hash of the attacker's choice", { hash: "00" }],
    ["another org", { org_id: "00000000-0000-0000-0000-000000000000" }],
  ])("a request for a token with %s: 400", async (_name, change) => {
    const body = { name: "x", role: "member", expires_in_days: 1, ...change };
    expect(await status("POST", "/v1/service-tokens", owner, body)).toBe(400);
  });

  test("signing out with a token ends nothing", async () => {
    const headers = { authorization: `Bearer ${member.token}` };
    expect(await bare("/auth/sign-out", headers, { method: "POST" })).toBe(204);
    expect(await status("GET", "/v1/whoami", member.token)).toBe(200);
  });
});

describe("a token in another place", () => {
  test.each([
    ["the query", (token: string) => [`/v1/whoami?access_token=${token}&token=${token}`, {}]],
    ["the cookie of sessions", (token: string) => ["/v1/whoami", { cookie: `__session=${token}` }]],
    ["the header of API keys", (token: string) => ["/v1/whoami", { "x-api-key": token }]],
    ["Basic", (token: string) => ["/v1/whoami", { authorization: `Basic ${btoa(`${token}:`)}` }]],
    ["another scheme", (token: string) => ["/v1/whoami", { authorization: `Token ${token}` }]],
    [
      "a list of two",
      (token: string) => ["/v1/whoami", { authorization: `Bearer ${token}, Bearer ${token}` }],
    ],
    ["the ingest plane", (token: string) => ["/v1/config", { authorization: `Bearer ${token}` }]],
    ["the ingest plane as a key", (token: string) => ["/v1/config", { "x-api-key": token }]],
  ] as [string, (token: string) => [string, Record<string, string>]][])("%s: 401", async (_name, request) => {
    expect(await bare(...request(admin.token))).toBe(401);
  });

  test("an API key as a bearer: 401", async () => {
    const key = await api.newKey("secret");
    expect(await bare("/v1/whoami", { authorization: `Bearer ${key}` })).toBe(401);
  });

  test.each([
    ["its hash", (token: string) => createHash("sha256").update(token).digest("hex")],
    ["its hash in the form of a token", () => `svc_st_${"0".repeat(43)}`],
    ["its shown prefix", (token: string) => token.slice(0, 12)],
    ["one character more", (token: string) => `${token}A`],
    ["another case", (token: string) => token.toUpperCase()],
    ["SQL", () => "svc_st_'or'1'='1"],
    ["ten thousand characters", () => `svc_st_${"A".repeat(10_000)}`],
  ])("%s as the token: 401", async (_name, forge) => {
    expect(await bare("/v1/whoami", { authorization: `Bearer ${forge(admin.token)}` })).toBe(401);
  });

  test("two Authorization headers: the second is never the one that counts", async () => {
    const answer = await raw(
      `GET /v1/whoami HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer nonsense\r\nAuthorization: Bearer ${admin.token}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 40[01] /);
  });

  test("a line break smuggled into the header: 400", async () => {
    const answer = await raw(
      `GET /v1/whoami HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\u000b\nX-Role: owner\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });
});

/** Sends bytes and reads all that comes back. */
function raw(request: string): Promise<string> {
  const { hostname, port } = new URL(api.service.url);
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(Number(port), hostname, () => socket.write(request));
    socket.on("data", (chunk) => {
      answer += String(chunk);
    });
    socket.on("end", () => resolve(answer));
    socket.on("error", reject);
  });
}

describe("the edge", () => {
  test.each([
    ["a form", "application/x-www-form-urlencoded", "name=x"],
    ["text", "text/plain", "{}"],
    ["XML", "application/xml", "<x/>"],
  ])("a body that is %s: 415", async (_name, type, body) => {
    const headers = { authorization: `Bearer ${admin.token}`, "content-type": type };
    expect(await bare("/v1/experiments", headers, { method: "POST", body })).toBe(415);
  });

  test("a parameter twice: 400", async () => {
    expect(await status("GET", "/v1/audit?limit=1&limit=200", admin.token)).toBe(400);
  });

  test.each(["/../../etc/passwd", "/assets/..%2f..%2f..%2fpackage.json", "/assets/", "/.git/config"])(
    "the file %s: 404",
    async (path) => {
      const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    },
  );

  test("a method that a route does not accept: 405", async () => {
    expect(await status("PUT", "/v1/service-tokens", owner, {})).toBe(405);
  });

  test("a change by cookie from another origin: 403", async () => {
    const headers = {
      cookie: `__session=${owner}`,
      origin: "https://evil.example",
      "content-type": "application/json",
    };
    const body = JSON.stringify({ name: "x", role: "admin", expires_in_days: 1 });
    expect(await bare("/v1/service-tokens", headers, { method: "POST", body })).toBe(403);
  });
});

describe("the log", () => {
  const forged = '\n{"level":30,"event":"security.sign_in.accepted","orgId":"forged"}\n';

  test("a name with a forged line in it adds no line", async () => {
    const evil = await api.token({ email: "evil@team.org", role: "admin" });
    await api.call("POST", "/v1/feedback", { token: evil, body: { message: forged, category: "other" } });
    expect(
      await status("POST", "/v1/service-tokens", evil, { name: forged, role: "member", expires_in_days: 1 }),
    ).toBe(400);
    expect(lines().filter(({ orgId }) => orgId === "forged")).toEqual([]);
  });

  test("a user agent, a path and a ticket with forged lines add no line", async () => {
    await bare("/v1/keys", { "user-agent": 'a\\n{"event":"security.x"}' });
    await bare(`/v1/experiments/${encodeURIComponent(forged)}`, {});
    await bare(
      "/auth/sign-in",
      { "content-type": "application/json", origin: api.service.url },
      {
        method: "POST",
        body: JSON.stringify({ ticket: forged }),
      },
    );
    expect(lines().filter(({ orgId }) => orgId === "forged")).toEqual([]);
    for (const { event } of lines())
      if (event !== undefined) expect(event).toMatch(/^security\.[a-z_]+\.[a-z_]+$/);
  });

  test("a person's id in a refused address is not in the log", async () => {
    await status("GET", "/v1/users/patient-4711/events", member.token);
    expect(api.logged()).not.toContain("patient-4711");
  });

  test("a flood of refusals is one line with a count, and displaces no other security event", async () => {
    const session = await api.token({ email: "owner@flooded.org", org: "flooded", role: "owner" });
    const { token } = await make(session);
    const before = lines().length;
    for (let attempt = 0; attempt < 300; attempt += 1) await status("GET", "/v1/service-tokens", token);
    expect(
      lines()
        .slice(before)
        .filter(({ event }) => event === "security.permission.refused"),
    ).toHaveLength(1);
    await api.restart();
    expect((await eventsOf(session)).map(({ event, left_out }) => [event, left_out])).toEqual(
      expect.arrayContaining([
        ["security.token.created", 0],
        ["security.permission.refused", 299],
      ]),
    );
  });

  test("strangers cannot write to an org's security events", async () => {
    const before = (await eventsOf(otherOwner)).length;
    for (let attempt = 0; attempt < 50; attempt += 1)
      await bare("/v1/keys", { authorization: `Bearer svc_st_${String(attempt).padStart(43, "0")}` });
    expect(await eventsOf(otherOwner)).toHaveLength(before);
  });

  test("no token is in the log, the audit or the security events", async () => {
    const audit = await api.call("GET", "/v1/audit?limit=200");
    for (const text of [api.logged(), JSON.stringify(audit.body), JSON.stringify(await eventsOf(owner))])
      for (const { token } of [admin, member]) expect(text).not.toContain(token.slice(12));
  });

  test("nobody changes or deletes a security event", async () => {
    for (const method of ["POST", "PUT", "DELETE"])
      expect(await status(method, "/v1/security-events", owner)).toBe(405);
  });
});
