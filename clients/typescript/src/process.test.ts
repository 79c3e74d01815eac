import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { sampleConfig } from "../test-support/sample-config.ts";

let server: ScriptedServer;
beforeEach(async () => {
  server = await ScriptedServer.start();
  server.script("/v1/config", { status: 200, body: sampleConfig() });
});
afterEach(() => server.stop());

/** Runs a module with `client` available in a separate process, with real timers. */
async function runWithClient(code: string): Promise<{ exitCode: unknown; output: string; errors: string }> {
  const module = new URL("./index.ts", import.meta.url).href;
  const source = `import { Client } from ${JSON.stringify(module)}; const client = new Client(); ${code}`;
  const env = { ...process.env, ASSAY_API_KEY: "svc_pk_1", ASSAY_BASE_URL: server.url };
  const child = spawn(process.execPath, ["--input-type=module", "--eval", source], { env });
  const [output, errors, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return { exitCode, output, errors };
}

test("a client that is never closed lets the process end", async () => {
  const { exitCode, output } = await runWithClient(
    `await client.ready(); console.log(client.assign("greeting", "u"));`,
  );
  expect([exitCode, output]).toEqual([0, "short\n"]);
});

test("an awaited flush keeps the process alive during a retry", async () => {
  server.script("/v1/events", { status: 500 }, { status: 202, body: { accepted: 1, config_version: 1 } });
  const { exitCode, output, errors } = await runWithClient(`
    client.track("business_event", { experiment_id: "greeting", user_id: "u" });
    console.log(await client.flush());`);
  expect([exitCode, output, errors]).toEqual([0, "true\n", ""]);
  expect(server.batches).toHaveLength(2);
  expect(server.batches[1]).toEqual(server.batches[0]);
});
