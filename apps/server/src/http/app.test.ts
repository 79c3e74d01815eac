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
