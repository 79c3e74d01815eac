import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import type { ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { ReadmePrograms } from "../../typescript/test-support/readme-programs.ts";
import { startService } from "../test-support/service-fixture.ts";

const programs = new ReadmePrograms(join(import.meta.dirname, ".."));
afterAll(() => programs.remove());

let server: ScriptedServer;
beforeEach(async () => {
  server = await startService();
});
afterEach(() => server.stop());

const run = (name: string, ending?: string) =>
  programs.run(name, { ASSAY_API_KEY: "svc_pk_1", ASSAY_BASE_URL: server.url }, ending);

const sent = () =>
  server.batches.flat().map(({ type, user_id, business_metric }) => [type, user_id, business_metric]);

test("the README's server evaluates both kinds of flag and delivers the outcome", async () => {
  const printed = [
    "{",
    "  variant: 'treated',",
    "  prompt: 'Be brief.',",
    "  settings: { temperature: 0.2, tools: [ 'search' ] }",
    "}",
  ];
  expect(await run("server.ts")).toEqual({ exitCode: 0, output: `${printed.join("\n")}\n`, errors: "" });
  expect(sent()).toEqual([
    ["exposure", "ann", undefined],
    ["business_event", "ann", "order_value"],
  ]);
});

test("the README's page does so in the web SDK", async () => {
  // Unlike a program, a page stays open.
  const result = await run("web.ts", "await OpenFeature.close();\n");
  expect(result).toEqual({ exitCode: 0, output: "treated\n", errors: "" });
  expect(server.requests[0]?.headers["x-api-key"]).toBe("svc_pk_your_publishable_key");
  expect(sent()).toEqual([
    ["exposure", "ann", undefined],
    ["business_event", "ann", "signup"],
  ]);
});

test("every program of the README is run here", () => {
  expect(programs.names).toEqual(["server.ts", "web.ts"]);
});
