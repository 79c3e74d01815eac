import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wanted } from "../../apps/server/src/test-support/judge-completion.ts";
import { type JudgeServer, openJudgeServer } from "../../apps/server/src/test-support/judge-server.ts";
import {
  ARM_MODELS,
  countsOf,
  itemsOf,
  putDataset,
  startRehearsal,
  untilState,
} from "../../apps/server/src/test-support/rehearsals.ts";
import { openTestService, type TestService } from "../../apps/server/src/test-support/test-service.ts";
import { findPythons } from "../../scripts/find-pythons.ts";
import { installVenv } from "../../scripts/python-venv.ts";
import { cleanUp } from "./support/clean-up.ts";
import { startProgram } from "./support/program.ts";
import { until } from "./support/until.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const MASTER_KEY = "sk-gateway";
const START_MS = 240_000;

const folder = mkdtempSync(join(tmpdir(), "assay-litellm-"));
let provider: JudgeServer;
let api: TestService;
beforeAll(async () => {
  provider = await openJudgeServer();
  provider.serve(...ARM_MODELS);
  const gateway = await startGateway();
  const endpoint = { url: gateway, apiKey: MASTER_KEY };
  api = await openTestService({
    judge: { ...provider.settings, ...endpoint },
    rehearsal: { ...endpoint, isJudges: true },
  });
}, 2 * START_MS);
afterAll(async () => {
  await api?.stop();
  await cleanUp();
  await provider?.close();
  rmSync(folder, { recursive: true });
});

/** Starts LiteLLM's proxy in front of the provider, and returns its address. */
async function startGateway(): Promise<string> {
  const python = findPythons().at(-1)?.path;
  if (python === undefined) throw new Error("This test needs CPython.");
  const requirements = join(import.meta.dirname, "support/litellm/requirements.txt");
  const bin = await installVenv({ python, requirements, folder: join(ROOT, ".cache/python-litellm-proxy") });
  const { url, apiKey, model } = provider.settings;
  const models = [...ARM_MODELS, model].map((name) => ({
    model_name: name,
    litellm_params: { model: `openai/${name}`, api_base: url, api_key: apiKey },
  }));
  const config = join(folder, "config.yaml");
  // YAML reads JSON.
  writeFileSync(
    config,
    JSON.stringify({
      model_list: models,
      litellm_settings: { num_retries: 0 },
      general_settings: { master_key: MASTER_KEY },
    }),
  );
  const port = await freePort();
  const args = ["--config", config, "--host", "127.0.0.1", "--port", String(port)];
  const proxy = startProgram(join(bin, "litellm"), args, {
    LITELLM_LOCAL_MODEL_COST_MAP: "True",
    LITELLM_TELEMETRY: "False",
  });
  const address = `http://127.0.0.1:${port}`;
  await until(
    "the gateway is ready",
    async () => {
      const isAlive = await fetch(`${address}/health/liveliness`).then(
        ({ ok }) => ok,
        () => false,
      );
      return isAlive || undefined;
    },
    START_MS,
    500,
  ).catch((error: Error) => {
    throw new Error(`${error.message}\n${proxy.stdout()}\n${proxy.stderr()}`);
  });
  return `${address}/v1`;
}

const freePort = () =>
  new Promise<number>((found) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { readonly port: number };
      server.close(() => found(port));
    });
  });

test("a rehearsal runs through LiteLLM's proxy: answers, judgements, tokens and costs", async () => {
  for (const model of [...ARM_MODELS, provider.settings.model]) {
    const body = { model, effective_from: "2026-01-01", input_usd_per_million: 1, output_usd_per_million: 1 };
    expect((await api.call("PUT", "/v1/prices", { body })).status).toBe(200);
  }
  const datasetId = await putDataset(api, itemsOf(40));
  const done = await untilState({ api }, await startRehearsal(api, datasetId), "done");
  expect(done).toMatchObject({ ended_because: "completed", fault: null });
  for (const kind of ["answer", "judgement"] as const)
    expect(countsOf(done, kind)).toEqual({ pending: 0, done: 80, failed: 0 });
  // One request at the provider for each of ours, with prompt, parameters and model as sent.
  const { requests, charged } = provider.counts();
  expect([requests, charged]).toEqual([160, 160]);
  const seen = provider.seen.map(({ body }) => body);
  const short = seen.find((body) => wanted(body) === "answer" && body.model === "m-2");
  expect(short).toMatchObject({
    seed: 7,
    messages: [{ content: "Answer with the number alone, please." }, {}],
  });
  const row = done.report.rows.find(({ metric }) => metric === "cost_usd");
  expect(row).toMatchObject({ inputs: 40 });
  expect(done.spent_usd).toBeCloseTo(
    done.progress.requests.reduce((sum, one) => sum + one.cost_usd, 0),
    9,
  );
  expect(done.spent_usd).toBeGreaterThan(0);
});

test("a model that the gateway does not serve is distinguished from a rate limit", async () => {
  const unserved = `nobody-${randomUUID()}`;
  const price = { effective_from: "2026-01-01", input_usd_per_million: 1, output_usd_per_million: 1 };
  await api.call("PUT", "/v1/prices", { body: { ...price, model: unserved } });
  const datasetId = await putDataset(api, itemsOf(4));
  const arms = ["m-1", unserved].map((model) => ({ name: model, model }));
  const paused = await untilState({ api }, await startRehearsal(api, datasetId, { arms }), "paused");
  expect(paused.fault).toContain(unserved);
  await api.call("POST", `/v1/rehearsals/${paused.id}/stop`);
  provider.script({ status: 429, retryAfter: "1" }, { status: 503 });
  const done = await untilState({ api }, await startRehearsal(api, datasetId), "done");
  expect(countsOf(done, "answer")).toEqual({ pending: 0, done: 8, failed: 0 });
});
