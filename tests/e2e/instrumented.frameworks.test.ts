import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { experimentBody, type WireExperiment } from "../../apps/server/src/test-support/experiments.ts";
import { openTestService, type TestService } from "../../apps/server/src/test-support/test-service.ts";
import { BillingProvider } from "../../clients/typescript/test-support/billing-provider.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const FOLDER = join(ROOT, "node_modules/.cache/instrumented");
const PACKAGES = [
  ...["@openfeature/server-sdk@1.23.0", "@openfeature/open-telemetry-hooks@1.0.0"],
  ...["@opentelemetry/api@1.9.1", "@opentelemetry/sdk-node@0.223.0"],
  ...["@opentelemetry/instrumentation-openai@0.21.0", "openai@6.49.0"],
];
/** What somebody waits at most. */
const PATIENCE_MS = 120_000;

let ahead = 0;
let api: TestService;
let provider: BillingProvider;
beforeAll(async () => {
  if (!existsSync(join(FOLDER, "node_modules/openai"))) {
    mkdirSync(FOLDER, { recursive: true });
    const options = ["--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
    const args = ["install", "--prefix", FOLDER, ...options, ...PACKAGES];
    const { status, stderr } = spawnSync("npm", args, { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  }
  api = await openTestService({}, { now: () => Date.now() + ahead });
  provider = await BillingProvider.start();
});
afterAll(async () => {
  provider.stop();
  await api.stop();
});

test("an application on OpenFeature and OpenTelemetry becomes an experiment within two minutes, with two environment variables", async () => {
  const startedAt = performance.now();
  const key = await api.newKey("secret");
  const body = experimentBody("tone", { assignment: "external", flag_key: "answer-tone" });
  const { id } = (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
  const program = join(FOLDER, "app.cjs");
  copyFileSync(join(import.meta.dirname, "support/instrumented/app.cjs"), program);
  const child = spawn(process.execPath, [program], {
    env: {
      ...process.env,
      OPENAI_BASE_URL: `${provider.url}/v1`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `${api.service.url}/v1/otlp`,
      OTEL_EXPORTER_OTLP_HEADERS: `X-API-Key=${key}`,
    },
  });
  const [said, [status]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect([said, status]).toEqual(["", 0]);
  const exposures = async () =>
    (await api.call<{ exposures: object }>("GET", `/v1/experiments/${id}/live`)).body.exposures;
  await expect.poll(exposures, { timeout: PATIENCE_MS }).toEqual({ control: 0, treatment: 1 });
  expect(performance.now() - startedAt).toBeLessThan(PATIENCE_MS);
  const newest = async () => (await api.call<object>("GET", "/v1/telemetry")).body;
  await expect.poll(newest).toMatchObject({
    last_evaluation: { flag: "answer-tone", variant: "treatment", user_id: "ann" },
    last_call: { model: "gpt-5-mini" },
  });
  ahead += 40_000;
  await expect.poll(newest).toMatchObject({ last_call: { outcome: "event" } });
});
