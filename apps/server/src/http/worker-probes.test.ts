import { operations } from "@assay/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestService, type TestService } from "../test-support/test-service.ts";

let worker: TestService;
beforeAll(async () => {
  worker = await openTestService({ role: "worker" });
});
afterAll(() => worker.stop());

test.each(["/healthz", "/readyz", "/metrics"])("a worker answers %s", async (path) => {
  expect((await worker.call("GET", path)).status).toBe(200);
});

test("a worker answers nothing else, and says what it is", async () => {
  for (const { method, path } of [...operations, { method: "GET", path: "/" }]) {
    type Problem = Readonly<Partial<Record<"detail" | "message", string>>>;
    const { status, body } = await worker.call<Problem>(method, path.replace("{id}", "1"));
    expect([method, path, status]).toEqual([method, path, 404]);
    // Langfuse's errors have a message in place of a detail.
    if (method !== "HEAD") expect(body.detail ?? body.message).toContain("This is a worker");
  }
});
