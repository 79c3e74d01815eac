import { readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestService, type TestService } from "../test-support/test-service.ts";

const index = readFileSync(join(import.meta.dirname, "../../../dashboard/dist/index.html"), "utf8");
const SCRIPT = /src="(\/assets\/[^"]+\.js)"/.exec(index)?.[1] ?? "the built page loads no script";

let api: TestService;
beforeAll(async () => {
  api = await openTestService({ trustedProxies: ["127.0.0.1"] });
});
afterAll(() => api.stop());

async function headersOf(path: string, init: RequestInit = {}): Promise<Headers> {
  const response = await fetch(api.service.url + path, init);
  await response.arrayBuffer();
  return response.headers;
}

const session = async () => ({ headers: { authorization: `Bearer ${await api.token()}` } });

function policyOf(headers: Headers): Readonly<Record<string, string>> {
  const directives = (headers.get("content-security-policy") ?? "").split("; ");
  return Object.fromEntries(
    directives.map((text) => [text.slice(0, text.indexOf(" ")), text.slice(text.indexOf(" ") + 1)]),
  );
}

describe("the dashboard's pages and files", () => {
  test.each(["/", "/sign-in", "/experiments/some-id", "/settings", SCRIPT])(
    "%s: no script, style, call or frame from elsewhere",
    async (path) => {
      const headers = await headersOf(path);
      expect(policyOf(headers)).toEqual({
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "font-src": "'self'",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
      });
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
      expect(headers.get("permissions-policy")).toContain("camera=()");
    },
  );

  test("/docs differs in the styles that Swagger UI writes", async () => {
    const policy = policyOf(await headersOf("/docs"));
    expect(policy).toMatchObject({ "script-src": "'self'", "default-src": "'none'" });
    expect(policy["style-src"]).toBe("'self' 'unsafe-inline'");
  });
});

describe("answers with data", () => {
  test.each([
    { name: "of a session", path: "/v1/whoami", init: session },
    { name: "of a raw key", path: "/v1/keys", init: async () => ({ ...(await session()), method: "POST" }) },
    { name: "to a stranger", path: "/v1/whoami", init: async () => ({}) },
    { name: "from no route", path: "/v1/nothing", init: async () => ({}) },
    { name: "of the way in", path: "/auth/sign-in", init: async () => ({ method: "POST" }) },
    { name: "to an unsigned webhook", path: "/v1/business-events", init: async () => ({ method: "POST" }) },
  ])("$name are neither stored nor shown as a page", async ({ path, init }) => {
    const headers = await headersOf(path, await init());
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("the ingest plane carries nosniff and no more", async () => {
    const headers = await headersOf("/v1/config", { headers: { "x-api-key": await api.newKey("secret") } });
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toBeNull();
  });
});

describe("Strict-Transport-Security", () => {
  test.each(["/", "/v1/whoami", "/docs", SCRIPT])("%s has it over TLS only", async (path) => {
    const overTls = await headersOf(path, { headers: { "x-forwarded-proto": "https" } });
    expect(overTls.get("strict-transport-security")).toBe("max-age=31536000");
    expect((await headersOf(path)).get("strict-transport-security")).toBeNull();
  });

  test("nobody but a trusted proxy is believed about TLS", async () => {
    const direct = await openTestService();
    try {
      const response = await fetch(`${direct.service.url}/`, { headers: { "x-forwarded-proto": "https" } });
      expect(response.headers.get("strict-transport-security")).toBeNull();
    } finally {
      await direct.stop();
    }
  });
});

/** Sends the path as it stands: fetch would tidy it first. */
function ask(path: string): Promise<readonly [status: number | undefined, type: string | undefined]> {
  const { hostname, port } = new URL(api.service.url);
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ hostname, port, path }, (response) => {
      response.resume();
      resolve([response.statusCode, response.headers["content-type"]]);
    });
    sent.on("error", reject).end();
  });
}

test.each([
  "/assets/../../package.json",
  "/assets/..%2f..%2fpackage.json",
  "/assets/%2e%2e/%2e%2e/package.json",
  "/assets/.hidden",
  "/docs/assets/package.json",
  "/assets/no-such-file",
  "/assets/%00",
  "/assets/%ff",
  `/v1/experiments/${"x".repeat(600)}`,
])("%s leads nowhere", async (path) => {
  expect(await ask(path)).toEqual([404, "application/problem+json; charset=utf-8"]);
});

test.each([
  { method: "DELETE", init: {} },
  { method: "QUERY", init: {} },
  {
    method: "PATCH",
    init: { body: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } },
  },
])("$method is answered with the methods that the address takes", async ({ method, init }) => {
  const response = await fetch(`${api.service.url}/v1/keys`, { method, ...init });
  expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, POST"]);
});
