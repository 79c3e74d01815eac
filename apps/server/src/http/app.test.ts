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
