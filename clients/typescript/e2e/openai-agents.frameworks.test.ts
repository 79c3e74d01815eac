import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import OpenAI from "openai";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { buildPackage } from "../scripts/build.ts";
import { agent } from "../src/agent.ts";
import { tracingProcessor } from "../src/openai-agents.ts";
import { createTestClient, type TestClient } from "../src/testing.ts";
import { BillingProvider } from "../test-support/billing-provider.ts";
import { startService } from "../test-support/client-fixture.ts";
import {
  loadOpenAiAgents,
  OPENAI_AGENTS_FOLDER,
  type OpenAiAgents,
} from "../test-support/openai-agents-packages.ts";
import { ReadmePrograms } from "../test-support/readme-programs.ts";
import { ONE_RUN, runFacts } from "../test-support/run-facts.ts";
import { sampleConfig } from "../test-support/sample-config.ts";

const MODULES = resolve(import.meta.dirname, "../../../node_modules");
const TYPE_OPTIONS =
  "--ignoreConfig --noEmit --strict --skipLibCheck --types node --target es2022 --lib es2023,esnext.disposable,dom --module esnext --moduleResolution bundler";
const QUESTION = "What is a bucket?";
const CITY = {
  ...{ type: "object", properties: { city: { type: "string" } } },
  ...{ required: ["city"], additionalProperties: false },
};

let sdk: OpenAiAgents;
let provider: BillingProvider;
let client: TestClient;
beforeAll(async () => {
  sdk = await loadOpenAiAgents();
  // It is off under the variable NODE_ENV=test.
  sdk.setTracingDisabled(false);
}, 240_000);
beforeEach(async () => {
  provider = await BillingProvider.start();
  provider.reset({ oneByOne: true });
  client = createTestClient({ greeting: "short" });
  sdk.setTraceProcessors([tracingProcessor(client, "greeting")]);
});
afterEach(() => {
  sdk.setTraceProcessors([]);
  provider.stop();
});

const makeOpenai = () => new OpenAI({ apiKey: "k", baseURL: `${provider.url}/v1`, maxRetries: 0 });
const modelOf = (openai = makeOpenai()) => new sdk.OpenAIChatCompletionsModel(openai, "gpt-4o-mini");
const wrappedModel = () => modelOf(client.wrap(makeOpenai(), "greeting"));

/** The agent that answers, once its two tools have. */
function makeAgent(more: object = {}) {
  const clock = () => {
    throw new Error("out of order");
  };
  const described = (name: string) => ({ name, description: `The ${name} in a city.`, parameters: CITY });
  const tools = [
    sdk.tool({ ...described("weather"), execute: () => "sunny" }),
    sdk.tool({ ...described("clock"), execute: clock }),
  ];
  return new sdk.Agent({ name: "support", model: modelOf(), tools, ...more });
}

const RUNS: Readonly<Record<string, (more?: object) => Promise<unknown>>> = {
  run: (more) => sdk.run(makeAgent(more), QUESTION),
  stream: async (more) => {
    for await (const _ of await sdk.run(makeAgent(more), QUESTION, { stream: true }));
  },
};

describe.each(Object.entries(RUNS))("%s", (_name, run) => {
  test("has the facts that every framework has", async () => {
    await client.withUser("ann", () => run());
    await expect.poll(() => runFacts(client)).toEqual(ONE_RUN);
    const [works, fails] = client.events.filter(({ type }) => type === "tool_call");
    expect(works).toMatchObject({ tool_arguments: '{"city":"yes"}', tool_result: "sunny", error: false });
    expect(fails).toMatchObject({ tool_arguments: '{"city":"yes"}', error: true });
    const [call] = client.events.filter(({ type }) => type === "model_call");
    expect(call).toMatchObject({ model: "gpt-4o-mini", prompt: QUESTION, finish_reason: "tool_calls" });
  });

  test("on a wrapped client has the same facts, and each call counts once", async () => {
    await client.withUser("ann", () => run({ model: wrappedModel() }));
    await expect.poll(() => runFacts(client)).toEqual(ONE_RUN);
    const kinds = client.events.map(({ type }) => type);
    expect(kinds.filter((type) => type === "exposure")).toHaveLength(ONE_RUN.model_calls);
  });

  test("on a wrapped client whose model fails counts the failed call once", async () => {
    provider.reset({ failures: 1, status: 400, oneByOne: true });
    await expect(client.withUser("ann", () => run({ model: wrappedModel() }))).rejects.toThrow();
    await expect
      .poll(() => runFacts(client))
      .toMatchObject({ model_calls: 1, model_errors: 1, run_ends: [false] });
  });

  test("is a part of withRun", async () => {
    await client.withUser("ann", () =>
      client.withRun("r-1", async () => {
        await run();
        agent(client, "greeting").endRun({ completed: false });
      }),
    );
    await expect.poll(() => runFacts(client)).toEqual({ ...ONE_RUN, run_ends: [false] });
    expect(new Set(client.events.map(({ run_id }) => run_id))).toEqual(new Set(["r-1"]));
  });

  test("is not completed when its model fails", async () => {
    provider.reset({ failures: 1, status: 400, oneByOne: true });
    await expect(client.withUser("ann", () => run())).rejects.toThrow("out of order");
    await expect
      .poll(() => runFacts(client))
      .toMatchObject({ model_calls: 1, model_errors: 1, run_ends: [false] });
  });

  test("without a user records nothing", async () => {
    await run();
    expect(client.events).toEqual([]);
  });
});

test("the README's program answers, and its run is reported", async () => {
  const installed = join(OPENAI_AGENTS_FOLDER, "node_modules/@assay/client");
  mkdirSync(installed, { recursive: true });
  await buildPackage(installed);
  const programs = new ReadmePrograms(
    resolve(import.meta.dirname, ".."),
    join(OPENAI_AGENTS_FOLDER, "node_modules"),
  );
  const service = await startService();
  service.script("/v1/config", { status: 200, body: sampleConfig() });
  try {
    const ended = await programs.run("openai-agents.ts", {
      ...{ ASSAY_API_KEY: "svc_pk_1", ASSAY_BASE_URL: service.url, NODE_ENV: "production" },
      ...{ OPENAI_API_KEY: "k", OPENAI_BASE_URL: `${provider.url}/v1` },
    });
    expect([ended.exitCode, ended.output]).toEqual([0, "A share of all the users of it.\n"]);
    const events = service.batches.flat();
    expect(events.map(({ type }) => type)).toEqual(["exposure", "model_call", "run_end"]);
    expect(events[1]).toMatchObject({ user_id: "ann", agent_name: "support", input_tokens: 1007 });
    expect(events[2]).toMatchObject({ run_id: events[1]?.run_id, completed: true });
    // The processor matches the SDK's own types.
    const options = `${TYPE_OPTIONS} --typeRoots ${MODULES}/@types ${programs.write("openai-agents.ts")}`;
    const { status, stdout } = spawnSync(`${MODULES}/.bin/tsc`, options.split(" "), { encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
  } finally {
    programs.remove();
    rmSync(installed, { recursive: true });
    await service.stop();
  }
});

test("a handoff names the other agent", async () => {
  const writer = new sdk.Agent({ name: "writer", model: modelOf() });
  await client.withUser("ann", () => sdk.run(makeAgent({ handoffs: [writer] }), QUESTION));
  await expect
    .poll(() => runFacts(client))
    .toEqual({
      ...ONE_RUN,
      ...{ model_calls: 4, input_tokens: 4070, output_tokens: 410, agents: ["support", "writer"] },
    });
});
