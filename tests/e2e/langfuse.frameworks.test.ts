import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { experimentBody } from "../../apps/server/src/test-support/experiments.ts";
import { openTestService, type TestService } from "../../apps/server/src/test-support/test-service.ts";
import type { Behavior } from "../../clients/typescript/test-support/billed-answers.ts";
import { BillingProvider } from "../../clients/typescript/test-support/billing-provider.ts";
import { findPythons } from "../../scripts/find-pythons.ts";
import { installVenv } from "../../scripts/python-venv.ts";
import { RecordingProxy } from "./support/langfuse/recording-proxy.ts";

const PROGRAMS = resolve(import.meta.dirname, "support/langfuse");
const ROOT = resolve(import.meta.dirname, "../..");
/** What `apps/server/src/langfuse/recorded.test.ts` replays. */
const RECORDED = join(ROOT, "apps/server/src/langfuse/recorded");
const isWritten = process.env.ASSAY_WRITE_RECORDED === "1";

type Command = readonly [string, ...(readonly string[])];

async function python(version: string, program = version): Promise<Command> {
  const path = findPythons().at(-1)?.path;
  if (path === undefined) throw new Error("This test needs CPython.");
  const requirements = join(PROGRAMS, `requirements-${version}.txt`);
  const folder = join(ROOT, `.cache/python-langfuse-${version}`);
  const bin = await installVenv({ python: path, requirements, folder });
  return [join(bin, "python"), join(PROGRAMS, `python-${program}.py`)];
}

/** Programs find their packages beside themselves. */
async function node(version: string, packages: readonly string[]): Promise<Command> {
  const folder = join(ROOT, `node_modules/.cache/langfuse-${version}`);
  if (!existsSync(join(folder, "node_modules/openai"))) {
    mkdirSync(folder, { recursive: true });
    const options = ["--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
    const { status, stderr } = spawnSync("npm", ["install", "--prefix", folder, ...options, ...packages], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
  }
  const program = join(folder, `node-${version}.mjs`);
  copyFileSync(join(PROGRAMS, `node-${version}.mjs`), program);
  return [process.execPath, program];
}

const NODE_5 = [
  ...["client", "openai", "otel", "tracing"].map((name) => `@langfuse/${name}@5.11.1`),
  ...["exporter-trace-otlp-http", "sdk-node"].map((name) => `@opentelemetry/${name}@0.223.0`),
  "openai@6.49.0",
];
const SDKS: Readonly<Record<string, () => Promise<Command>>> = {
  "python-5": () => python("5"),
  "python-4": () => python("4", "5"),
  "python-2": () => python("2"),
  "node-5": () => node("5", NODE_5),
  "node-3": () => node("3", ["langfuse@3.39.2", "openai@6.49.0"]),
};

const CASES: Readonly<Record<string, Behavior>> = {
  whole: {},
  stream: {},
  details: { caches: true, reasons: true },
  error: { failures: 1, status: 500 },
};
const TOKENS = ["input_tokens", "output_tokens", "cached_input_tokens", "reasoning_tokens"] as const;

describe("an application with Langfuse becomes an experiment by changing its address and keys", () => {
  let ahead = 0;
  let api: TestService;
  let provider: BillingProvider;
  let proxy: RecordingProxy;
  let key: string;
  beforeAll(async () => {
    api = await openTestService({}, { now: () => Date.now() + ahead });
    key = await api.newKey("secret");
    await api.call("POST", "/v1/experiments", { body: experimentBody("greeting") });
    [provider, proxy] = await Promise.all([BillingProvider.start(), RecordingProxy.start(api.service.url)]);
  });
  afterAll(async () => {
    provider.stop();
    proxy.stop();
    await api.stop();
  });

  async function run([command, ...args]: Command, kind: string, user: string): Promise<void> {
    const { url } = proxy;
    const child = spawn(command, [...args, kind], {
      env: {
        ...process.env,
        ...{ LANGFUSE_BASE_URL: url, LANGFUSE_BASEURL: url, LANGFUSE_HOST: url },
        ...{ LANGFUSE_PUBLIC_KEY: "assay", LANGFUSE_SECRET_KEY: key },
        ...{ OPENAI_BASE_URL: `${provider.url}/v1`, USER_ID: user },
      },
    });
    const [said, [status]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    if (status !== 0) throw new Error(`${command} ended with ${status}: ${said}`);
  }

  async function eventsOf(user: string) {
    const response = await fetch(`${api.service.url}/v1/users/${user}/events`, {
      headers: { authorization: `Bearer ${await api.token()}` },
    });
    const lines = (await response.text()).split("\n").filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  }

  describe.each(Object.entries(SDKS))("%s", (sdk, prepare) => {
    let command: Command;
    const recorded: Record<string, object> = {};
    beforeAll(async () => {
      command = await prepare();
    });
    afterAll(() => {
      if (isWritten) writeFileSync(join(RECORDED, `${sdk}.json`), `${JSON.stringify(recorded, null, 2)}\n`);
    });

    test.each(Object.entries(CASES))("%s", async (kind, behavior) => {
      provider.reset(behavior);
      proxy.requests = [];
      const user = `${sdk}-${kind}`;
      await run(command, kind, user);
      const [bill = {}] = provider.ledger;
      recorded[kind] = { user, ledger: provider.ledger, requests: proxy.requests };
      const failed = proxy.requests.filter(
        ({ path, status }) => status >= 400 && !path.includes("/prompts/"),
      );
      expect(failed).toEqual([]);
      ahead += 40_000;
      await expect
        .poll(async () => (await eventsOf(user)).map(({ type }) => type).sort())
        .toEqual([...["business_event", "exposure", "model_call"]]);
      const byType = Object.fromEntries((await eventsOf(user)).map((event) => [event.type, event]));
      expect(byType.exposure).toMatchObject({ variant: "treatment", user_id: user });
      expect(byType.business_event).toMatchObject({ business_metric: "helpful", value: 0.5 });
      expect(byType.model_call).toMatchObject({ variant: "treatment", error: kind === "error" });
      const counted = Object.fromEntries(
        TOKENS.map((name) => [name, byType.model_call?.[name] || undefined]),
      );
      expect(counted).toEqual(Object.fromEntries(TOKENS.map((name) => [name, bill[name]])));
    });
  });
});
