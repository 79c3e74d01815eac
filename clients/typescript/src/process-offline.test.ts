import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { sampleConfig } from "../test-support/sample-config.ts";

const EVENTS = "/v1/events";
const ACK = { status: 202, body: { accepted: 1, config_version: 1, rejected: [] } };

let server: ScriptedServer;
let folder: string;
beforeEach(async () => {
  server = await ScriptedServer.start();
  server.script("/v1/config", { status: 200, body: sampleConfig() });
  folder = await mkdtemp(join(tmpdir(), "assay-process-"));
});
afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

const PRELUDE = `
  import { readdirSync } from "node:fs";
  import { Client } from ${JSON.stringify(new URL("./core.ts", import.meta.url).href)};
  const waits = () => readdirSync(process.env.FOLDER).some((name) => name.includes(".ndjson"));
  const track = (client, count, prefix = "e") => {
    for (let i = 0; i < count; i++)
      client.track("business_event", { event_id: prefix + i, experiment_id: "greeting", user_id: "u", value: i });
  };`;

/** Starts a process that runs the code, with `Client` and `track` available and with real timers. */
function start(code: string, launcher: readonly string[] = []): ChildProcess {
  const env = { ...process.env, ASSAY_API_KEY: "svc_pk_1", ASSAY_BASE_URL: server.url, FOLDER: folder };
  const node = [process.execPath, "--input-type=module", "--eval", PRELUDE + code];
  const [command, ...args] = [...launcher, ...node];
  return spawn(command!, args, { env });
}

async function finish(child: ChildProcess) {
  const [output, errors, [exitCode]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, "exit"),
  ]);
  return { exitCode, output, errors };
}
const run = (code: string, launcher?: readonly string[]) => finish(start(code, launcher));

/** The files of events; the last config is kept beside them. */
const keptNames = async () => (await readdir(folder)).filter((name) => name.endsWith(".ndjson"));

async function keptIds(): Promise<readonly string[]> {
  const names = await keptNames();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return texts
    .flatMap((content) => content.split("\n").slice(0, -1))
    .map((line) => JSON.parse(line).event.event_id);
}
const sentIds = () => server.batches.flat().map(({ event_id }) => event_id);

describe("process.exit", () => {
  test("loses nothing with a store: every event is kept", async () => {
    server.script(EVENTS, "hang");
    const { errors } = await run(`
      const client = new Client({ offlineStore: process.env.FOLDER });
      track(client, 9_000);
      setTimeout(() => process.exit(3), 50);`);
    expect(errors).toBe("");
    expect(new Set(await keptIds()).size).toBe(9_000);
  });

  test("loses nothing when an uncaught error ends the process", async () => {
    const { exitCode } = await run(`
      const client = new Client({ offlineStore: process.env.FOLDER });
      track(client, 10);
      throw new Error("uncaught");`);
    expect([exitCode, (await keptIds()).length]).toEqual([1, 10]);
  });

  test("without a store reports how many events are lost", async () => {
    const { errors } = await run(`track(new Client(), 7); process.exit();`);
    expect(errors).toBe("[assay] event given up, the process ended: 7\n");
  });

  test("after close logs and keeps nothing", async () => {
    server.script(EVENTS, ACK);
    const { errors } = await run(`
      const client = new Client({ offlineStore: process.env.FOLDER });
      track(client, 7);
      await client.close();
      process.exit();`);
    expect([errors, await keptNames(), sentIds().length]).toEqual(["", [], 7]);
  });

  test("with a disk that is full counts what is lost", async () => {
    const code = `
      const client = new Client({ offlineStore: process.env.FOLDER });
      track(client, 100);
      process.exit();`;
    const { errors } = await run(code, ["sh", "-c", 'ulimit -f 1; exec "$@"', "sh"]);
    expect(errors).toContain("offlineStore fails, EFBIG");
    expect(errors).toContain("event given up, the process ended: 100");
  });
});

describe("a process with nothing left to do", () => {
  test("sends what is queued before it ends", async () => {
    server.script(EVENTS, ACK);
    const { exitCode, errors } = await run(`track(new Client(), 150);`);
    expect([exitCode, errors, sentIds().length]).toEqual([0, "", 150]);
  });

  test("sends the events of many clients, over one listener of each kind", async () => {
    server.script(EVENTS, ACK);
    const { output } = await run(`
      const clients = Array.from({ length: 20 }, () => new Client());
      clients.forEach((client, i) => track(client, 3, i + "-"));
      console.log(process.listenerCount("beforeExit"), process.listenerCount("exit"));
      await Promise.all(clients.slice(0, 10).map((client) => client.close()));
      console.log(process.listenerCount("beforeExit"), process.listenerCount("exit"));`);
    expect(output).toBe("1 1\n1 1\n");
    expect(new Set(sentIds()).size).toBe(60);
  });

  test("has no listener left once its clients are closed", async () => {
    const { output } = await run(`
      const clients = [new Client(), new Client()];
      await Promise.all(clients.map((client) => client.close()));
      console.log(process.listenerCount("beforeExit"), process.listenerCount("exit"));`);
    expect(output).toBe("0 0\n");
  });

  test("ends after 2 s when the service does not answer, and keeps the events", async () => {
    server.script(EVENTS, "hang");
    const begun = performance.now();
    const { exitCode } = await run(`
      const client = new Client({ offlineStore: process.env.FOLDER });
      await client.ready();
      track(client, 5);`);
    expect(performance.now() - begun).toBeLessThan(8_000); // The timeout of a request is 10 s.
    expect([exitCode, (await keptIds()).length]).toEqual([0, 5]);
  });

  test("sends what a process before it kept", async () => {
    await run(`track(new Client({ offlineStore: process.env.FOLDER }), 5); process.exit();`);
    const kept = await readFile(join(folder, (await keptNames())[0]!), "utf8");
    server.script(EVENTS, ACK);
    await run(`
      const client = new Client({ offlineStore: process.env.FOLDER });
      await client.ready();
      while (true) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (!waits()) break;
      }`);
    const lines = kept.split("\n").slice(0, -1);
    expect(server.batches.flat()).toEqual(lines.map((line) => JSON.parse(line).event));
  });
});

test("two processes on one folder send each event once", async () => {
  const writers = Array.from({ length: 6 }, (_, i) =>
    run(`track(new Client({ offlineStore: process.env.FOLDER }), 50, "w${i}-"); process.exit();`),
  );
  await Promise.all(writers);
  expect(await keptIds()).toHaveLength(300);
  server.script(EVENTS, ACK);
  const sender = `
    const client = new Client({ offlineStore: process.env.FOLDER });
    await client.ready();
    while (waits()) await new Promise((resolve) => setTimeout(resolve, 20));
    await client.close();`;
  await Promise.all([run(sender), run(sender)]);
  expect(sentIds()).toHaveLength(300);
  expect(new Set(sentIds()).size).toBe(300);
});

test("after SIGKILL in an outage, the next process sends the spilled events", async () => {
  server.script(EVENTS, { status: 503 });
  // With a config the client would take the file back to send it again, and a killed client's claim lasts 10 minutes.
  server.script("/v1/config", { status: 503 });
  const child = start(`
    const client = new Client({ offlineStore: process.env.FOLDER });
    track(client, 10_500);
    setInterval(() => {}, 1_000);`);
  await expect.poll(async () => (await keptIds()).length).toBe(5_000);
  child.kill("SIGKILL");
  await finish(child);
  server.script("/v1/config", { status: 200, body: sampleConfig() });
  server.script(EVENTS, ACK);
  const before = server.at(EVENTS).length;
  await run(`
    const client = new Client({ offlineStore: process.env.FOLDER });
    await client.ready();
    while (waits()) await new Promise((resolve) => setTimeout(resolve, 20));`);
  const sent = server.batches
    .slice(before)
    .flat()
    .map(({ event_id }) => event_id);
  expect(sent).toEqual(Array.from({ length: 5_000 }, (_, i) => `e${i}`));
});
