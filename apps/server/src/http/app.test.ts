import { gzipSync } from "node:zlib";
import { operations } from "@assay/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestService, type TestService } from "../test-support/test-service.ts";
import { fastifyPath } from "./define-route.ts";

let api: TestService;
beforeAll(async () => {
  api = await openTestService();
});
afterAll(() => api.stop());

test("every operation of the contract has a route", () => {
  const missing = operations.filter(
    (declared) => !api.service.app.hasRoute({ method: declared.method, url: fastifyPath(declared) }),
  );
  expect(missing.map(({ operationId }) => operationId)).toEqual([]);
});

test("every operation that asks for a credential refuses a caller without one, whatever the path and body", async () => {
  for (const { method, path, auth } of operations) {
    if (auth.kind === "none") continue;
    const url = api.service.url + path.replace("{id}", crypto.randomUUID()).replace("{scope}", "secret");
    const response = await fetch(url, { method });
    expect([method, path, response.status]).toEqual([method, path, 401]);
  }
});

test("an address that is declared as it stands takes its own methods only, also where it could be one of a pattern", async () => {
  const literal = new Map<string, string[]>();
  for (const { path, method } of operations)
    if (!path.includes("{")) literal.set(path, [...(literal.get(path) ?? []), method]);
  expect([...literal.keys()]).toContain("/v1/datasets/upload");
  for (const [path, methods] of literal)
    for (const method of ["GET", "PUT", "POST", "DELETE", "PATCH"].filter((one) => !methods.includes(one))) {
      const response = await fetch(api.service.url + path, { method });
      const answer = [method, path, response.status, response.headers.get("allow")];
      expect(answer).toEqual([method, path, 405, methods.sort().join(", ")]);
      await response.arrayBuffer();
    }
});

test.each([
  { what: "a method", path: "/v1/metrics/x", init: { method: "POST" }, says: "takes GET and PUT, not POST." },
  {
    what: "one of three",
    path: "/v1/experiments/x",
    init: { method: "PATCH" },
    says: "takes DELETE, GET, and PUT,",
  },
  { what: "a parameter twice", path: "/v1/audit?limit=1&limit=2", says: "limit: is given more than once." },
  {
    what: "a text twice",
    path: "/v1/overview?status=draft&status=draft",
    says: "status: is given more than once.",
  },
  {
    what: "a compressed body",
    path: "/v1/plan",
    init: { method: "POST", body: gzipSync("{}"), headers: { "content-encoding": "gzip" } },
    says: "Send the body without Content-Encoding",
  },
])("what is wrong is said of $what", async ({ path, init, says }) => {
  const headers = {
    authorization: `Bearer ${await api.token()}`,
    ...(init?.body ? { "content-type": "application/json" } : {}),
    ...init?.headers,
  };
  const answer = await fetch(api.service.url + path, { ...init, headers });
  expect(await answer.json()).toMatchObject({ detail: expect.stringContaining(says) });
});

test.each(["/v1/config", "/v1/events/import"])("%s takes each parameter once", async (path) => {
  const key = await api.newKey("secret");
  const method = path === "/v1/config" ? "GET" : "POST";
  const url = `${api.service.url}${path}?${path === "/v1/config" ? "wait=1&wait=2" : "dry_run=true&dry_run=true"}`;
  const answer = await fetch(url, { method, headers: { "x-api-key": key } });
  expect(await answer.json()).toMatchObject({
    status: 400,
    detail: expect.stringContaining("more than once"),
  });
});
