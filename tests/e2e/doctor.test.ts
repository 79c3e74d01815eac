import { randomBytes, randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSqliteControlPlane } from "@assay/storage";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newExperiment, newOrg } from "../../packages/storage/src/contract-tests/control-plane/fixtures.ts";
import { isNight } from "../in-night.ts";
import { findClickHouse, type RunningClickHouse, startClickHouse } from "../servers/clickhouse.ts";
import { findNats, type NatsServers, startNats } from "../servers/nats.ts";
import { findPostgres, type RunningPostgres, startPostgres } from "../servers/postgres.ts";
import { cleanUp } from "./support/clean-up.ts";
import { CLI, type Environment, NODE, runCli, startProgram } from "./support/program.ts";
import { attach, type RunningService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

afterAll(cleanUp);

const newKey = () => randomBytes(32).toString("base64");
const PASSWORD = "a-password-of-the-database";

test("missing server engines are reported one by one, with a fix and without their passwords", async () => {
  const { code, stdout, stderr } = await runCli(["doctor"], {
    ASSAY_ROLE: "worker",
    ASSAY_PORT: "1",
    ASSAY_DATA_DIR: temporaryFolder(),
    ASSAY_DATABASE_URL: `postgres://assay:${PASSWORD}@127.0.0.1:1/assay`,
    ASSAY_EVENTS_URL: `http://assay:${PASSWORD}@127.0.0.1:1`,
    ASSAY_QUEUE_URL: `nats://assay:${PASSWORD}@127.0.0.1:1`,
    ASSAY_MASTER_KEY: newKey(),
    ASSAY_BILLING_SECRET_KEY: PASSWORD,
    ASSAY_BILLING_WEBHOOK_SECRET: PASSWORD,
    ASSAY_BILLING_PRICE_PRO: "price_1",
    ASSAY_BILLING_PRICE_BUSINESS: "price_2",
    ASSAY_BILLING_API_URL: `http://billing:${PASSWORD}@127.0.0.1:1`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://traces:${PASSWORD}@127.0.0.1:1`,
  });
  expect(stdout).toMatch(/✓ Role +worker: /);
  expect(stdout).toMatch(/✓ Data folder +none needed/);
  expect(stdout).toMatch(
    /✗ Control plane +PostgreSQL at ASSAY_DATABASE_URL does not answer \(ECONNREFUSED\): check/,
  );
  expect(stdout).toMatch(/✗ Event engine +ClickHouse at ASSAY_EVENTS_URL does not answer: check/);
  expect(stdout).toMatch(/✗ Queue +NATS at ASSAY_QUEUE_URL does not answer: check/);
  expect(stdout).toMatch(/✗ Master key +it cannot be checked/);
  expect(stdout).toMatch(
    /✗ Traces +nothing answers at http:\/\/127\.0\.0\.1:1: check OTEL_EXPORTER_OTLP_ENDPOINT/,
  );
  expect(stdout).toContain("6 checks failed.");
  expect(stdout + stderr).not.toContain(PASSWORD);
  expect([code, stderr]).toEqual([1, ""]);
});

test("an address that is refused is shown without its passwords", async () => {
  const { code, stdout, stderr } = await runCli(["doctor"], {
    ASSAY_JUDGE_URL: `http://judge:${PASSWORD}@127.0.0.1:1/v1?api_key=${PASSWORD}&v=1`,
    ASSAY_JUDGE_MODEL: "m",
  });
  expect(stdout).toContain("http://judge:***@127.0.0.1:1/v1?api_key=***&v=1");
  expect(stdout + stderr).not.toContain(PASSWORD);
  expect([code, stderr]).toEqual([1, expect.stringContaining("ASSAY_JUDGE_URL must be")]);
});

test("a damaged database, event store or queue in the data folder is reported, each with a fix", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "format"), "1\n");
  writeFileSync(join(folder, "control.sqlite"), "garbage ".repeat(1_000));
  mkdirSync(join(folder, "events/metadata/default"), { recursive: true });
  writeFileSync(join(folder, "events/metadata/default/a.sql"), "ATTACH TABLE _ UUID 'abcd-ef' (`a` Int8)");
  mkdirSync(join(folder, "queue"));
  writeFileSync(join(folder, "queue", "data.mdb"), "garbage ".repeat(10_000));
  const { code, stdout } = await runCli(["doctor"], { ASSAY_DATA_DIR: folder, ASSAY_PORT: "1" });
  expect(stdout).toMatch(/✗ Control plane +the database \S+ is damaged \(file is not a database\): restore/);
  expect(stdout).toMatch(/✗ Queue +The queue in \S+ cannot be read; its file is damaged or cut off: restore/);
  expect(stdout).toMatch(
    /✗ Event engine +Stored events are damaged: \S+events\/store\/abc\/abcd-ef is missing/,
  );
  expect(stdout).toContain("3 checks failed.");
  expect(code).toBe(1);
});

test("a data folder that lost a part after the first night is reported, as at a start", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "control.sqlite");
  const control = openSqliteControlPlane({ file, newId: randomUUID });
  await control.migrate();
  const { id: experimentId, orgId } = await newExperiment(control, await newOrg(control));
  const findingOf = async () => {
    const { code, stdout } = await runCli(["doctor"], { ASSAY_DATA_DIR: folder, ASSAY_PORT: "1" });
    return [code, stdout.split("\n").find((line) => line.includes(" Data folder "))];
  };
  expect(await findingOf()).toEqual([0, expect.stringContaining("✓ Data folder")]);
  const run = { day: "2026-11-20", windowTo: 1, now: 1, leaseUntil: 2 };
  await control.pipelineRuns.claim({ orgId, experimentId, ...run });
  await control.close();
  const lacks = (what: string) => [1, expect.stringMatching(`✗ Data folder .* its ${what} missing: restore`)];
  expect(await findingOf()).toEqual(lacks("events are"));
  mkdirSync(join(folder, "events"));
  expect(await findingOf()).toEqual(lacks("queue of accepted events is"));
  mkdirSync(join(folder, "queue"));
  expect(await findingOf()).toEqual([0, expect.stringContaining("✓ Data folder")]);
});

const canRun = isNight() && findPostgres() !== null && findClickHouse() !== null && findNats() !== null;
if (isNight() && !canRun)
  console.warn("NOT RUN: doctor on server engines. It needs PostgreSQL, ClickHouse's library and NATS.");

describe.skipIf(!canRun)("on server engines", () => {
  let postgres: RunningPostgres;
  let clickhouse: RunningClickHouse;
  let nats: NatsServers;
  let env: Environment;
  let api: RunningService;
  beforeAll(async () => {
    [postgres, clickhouse, nats] = await Promise.all([startPostgres(), startClickHouse(), startNats()]);
    env = {
      ASSAY_ROLE: "api",
      ASSAY_DATABASE_URL: postgres.url,
      ASSAY_EVENTS_URL: clickhouse.url,
      ASSAY_QUEUE_URL: nats.url,
      ASSAY_MASTER_KEY: newKey(),
    };
    const dataDir = temporaryFolder();
    const program = startProgram(NODE, [CLI, "serve"], { ...env, ASSAY_PORT: "0", ASSAY_DATA_DIR: dataDir });
    api = await attach(program, dataDir);
  });
  afterAll(async () => {
    await cleanUp();
    await Promise.all([postgres?.stop(), clickhouse?.stop(), nats?.stop()]);
  });
  const doctor = (change: Environment = {}) =>
    runCli(["doctor"], { ...env, ASSAY_PORT: api.port, ...change });

  test("reports what each engine is", async () => {
    const { code, stdout, stderr } = await doctor();
    expect(stdout).toMatch(/✓ Service +runs on http:\S+ \(api\) and is ready/);
    expect(stdout).toMatch(/✓ Control plane +PostgreSQL \d+\.\d+, schema up to date/);
    expect(stdout).toMatch(/✓ Event engine +ClickHouse \d+\.\d+\S*, database assay, tables exist/);
    expect(stdout).toMatch(/✓ Queue +NATS \d+\.\d+\.\d+, one server, 1 replica, 0 batches wait/);
    expect(stdout).toMatch(/! Queue +Each batch is kept once: a cluster of three servers/);
    expect(stdout).toMatch(/✓ Master key +set, and it opens the secrets in the database/);
    expect(stdout).toMatch(/\nNo check failed\. Read the lines that begin with !\.\n$/);
    expect([code, stderr]).toEqual([0, ""]);
  });

  test("reports a master key that does not belong to the database", async () => {
    const { code, stdout } = await doctor({ ASSAY_MASTER_KEY: newKey() });
    expect(stdout).toMatch(/✗ Master key +ASSAY_MASTER_KEY is not the key .*: set the key/);
    expect([code, stdout.includes("1 check failed.")]).toEqual([1, true]);
  });

  test("an api process without its event store is ready and reports what is missing; without its queue it is not ready", async () => {
    clickhouse.kill("SIGKILL");
    const degraded = await api.send<{ status: string; checks: unknown }>("GET", "/readyz");
    expect([degraded.status, degraded.body.status]).toEqual([200, "degraded"]);
    const { stdout } = await doctor();
    expect(stdout).toMatch(/! Service +it gets no answer from event_store/);
    expect(stdout).toMatch(/✗ Event engine/);
    await nats.stop();
    const down = await api.send<{ status: string; checks: object }>("GET", "/readyz");
    expect([down.status, down.body]).toMatchObject([
      503,
      { status: "unavailable", checks: { queue: { status: "unavailable", required: true } } },
    ]);
    expect((await api.send("GET", "/healthz")).status).toBe(200);
    expect((await doctor()).stdout).toMatch(/✗ Service +runs on \S+ \(api\) but is not ready: unavailable, /);
  });
});
