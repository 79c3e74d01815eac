import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { sampleConfig } from "../test-support/sample-config.ts";

let server: ScriptedServer;
beforeEach(async () => {
  server = await ScriptedServer.start();
  server.script("/v1/config", { status: 200, body: sampleConfig() });
});
afterEach(() => server.stop());

/** Starts a module with `client` available in a separate process, with real timers. */
function startWithClient(code: string, options = ""): ChildProcessWithoutNullStreams {
  const module = new URL("./index.ts", import.meta.url).href;
  const source = `import { Client } from ${JSON.stringify(module)}; const client = new Client(${options}); ${code}`;
  const env = { ...process.env, ASSAY_API_KEY: "svc_pk_1", ASSAY_BASE_URL: server.url };
  return spawn(process.execPath, ["--input-type=module", "--eval", source], { env });
}

/** Resolves at the end of the process. */
async function endOf(child: ChildProcessWithoutNullStreams) {
  const [output, errors, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ]);
  return { exitCode, output, errors };
}
const runWithClient = (code: string) => endOf(startWithClient(code));

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

test("a call that a framework might have tried again lets the process end, and is delivered", async () => {
  server.script("/v1/events", { status: 202, body: { accepted: 1, config_version: 1 } });
  const module = JSON.stringify(new URL("./ai-sdk.ts", import.meta.url).href);
  const startedAt = performance.now();
  const { exitCode, errors } = await runWithClient(`
    const { middleware } = await import(${module});
    await client.ready();
    const { wrapGenerate } = middleware(client, "greeting", { user: "u" });
    const busy = Object.assign(new Error(), { isRetryable: true, responseHeaders: { "retry-after": "50" } });
    const doGenerate = async () => { throw busy; };
    await wrapGenerate({ params: { prompt: [] }, model: {}, doGenerate }).catch(() => {});`);
  expect([exitCode, errors]).toEqual([0, ""]);
  expect(server.batches.flat()).toMatchObject([{ type: "exposure" }, { type: "model_call", error: true }]);
  expect(performance.now() - startedAt).toBeLessThan(50_000);
});

describe("while a request waits for a change", () => {
  const WAIT = "/v1/config?wait=30";
  /** Goes on when the test closes the standard input. */
  const UNTIL_TOLD = `await new Promise((told) => process.stdin.on("end", told).resume());`;

  async function runWaiting(code: string) {
    server.script("/v1/config", { status: 200, headers: { etag: '"1"' }, body: sampleConfig() });
    server.script("/v1/events", { status: 202, body: { accepted: 1, config_version: 1 } });
    server.script(WAIT, "hang");
    const child = startWithClient(UNTIL_TOLD + code, "{ longPoll: true }");
    const ended = endOf(child);
    await server.received(WAIT, 1);
    child.stdin.end();
    expect(await ended).toEqual({ exitCode: 0, output: "end\n", errors: "" });
    expect(server.at(WAIT)).toHaveLength(1);
  }

  test("a client that is never closed lets the process end, and delivers what was tracked", async () => {
    await runWaiting(
      `client.track("business_event", { experiment_id: "greeting", user_id: "u" }); console.log("end");`,
    );
    expect(server.batches).toHaveLength(1);
  });

  test("closing does not wait for it", async () => {
    await runWaiting(`await client.close(); console.log("end");`);
  });
});
