import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { buildPackage } from "../scripts/build.ts";
import { ReadmePrograms } from "../test-support/readme-programs.ts";
import { sampleConfig } from "../test-support/sample-config.ts";

const FOLDER = resolve(import.meta.dirname, "../../../node_modules/.cache/express");
const MODULES = join(FOLDER, "node_modules");
const USERS = ["ann", "bob", "cem", "dee"];

describe("an Express server, by the README's program, at SIGTERM", () => {
  let programs: ReadmePrograms;
  beforeAll(async () => {
    if (!existsSync(join(MODULES, "express"))) {
      mkdirSync(FOLDER, { recursive: true });
      const options = ["--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
      const args = ["install", "--prefix", FOLDER, ...options, "express@5.3.0"];
      const { status, stderr } = spawnSync("npm", args, { encoding: "utf8" });
      if (status !== 0) throw new Error(stderr);
    }
    mkdirSync(join(MODULES, "@assay/client"), { recursive: true });
    await buildPackage(join(MODULES, "@assay/client"));
    programs = new ReadmePrograms(resolve(import.meta.dirname, ".."), MODULES);
  });
  afterAll(() => {
    programs.remove();
    rmSync(join(MODULES, "@assay"), { recursive: true });
  });

  let service: ScriptedServer;
  let store: string;
  let child: ChildProcess | undefined;
  beforeEach(async () => {
    service = await ScriptedServer.start();
    service.script("/v1/config", { status: 200, body: sampleConfig() });
    store = mkdtempSync(join(tmpdir(), "assay-express-"));
  });
  afterEach(async () => {
    child?.kill("SIGKILL");
    rmSync(store, { recursive: true });
    await service.stop();
  });

  /** Takes an order of each user, sends SIGTERM as the last one is answered, and waits for the end. */
  async function takeOrdersAndEnd() {
    const port = await freePort();
    const env = {
      ...process.env,
      ...{ ASSAY_API_KEY: "svc_pk_1", ASSAY_BASE_URL: service.url },
      ...{ ASSAY_FOLDER: store, PORT: String(port) },
    };
    const started = spawn(process.execPath, [programs.write("express.ts")], { env });
    child = started;
    const errors = text(started.stderr);
    await once(started.stdout, "data");
    for (const user of USERS) {
      const { status } = await fetch(`http://127.0.0.1:${port}/orders/${user}`, { method: "POST" });
      expect(status).toBe(204);
    }
    started.kill("SIGTERM");
    const [exitCode, signal] = await once(started, "exit");
    return { exitCode, signal, errors: await errors };
  }

  test("delivers all events", async () => {
    service.script("/v1/events", { status: 202, body: { accepted: 4, config_version: 1, rejected: [] } });
    expect(await takeOrdersAndEnd()).toEqual({ exitCode: 0, signal: null, errors: "" });
    expect(service.batches.flat().map(({ user_id }) => user_id)).toEqual(USERS);
    expect(kept(store)).toEqual([]);
  });

  test("keeps all events in the store when the service does not take them", async () => {
    service.script("/v1/events", { status: 503 });
    expect(await takeOrdersAndEnd()).toMatchObject({ exitCode: 0, signal: null });
    expect(kept(store)).toEqual(USERS);
  });
});

/** The users of the events that are kept in a folder. */
function kept(folder: string): readonly string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".ndjson"));
  const lines = files.flatMap((name) => readFileSync(join(folder, name), "utf8").trim().split("\n"));
  return lines.map((line) => JSON.parse(line).event.user_id);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}
