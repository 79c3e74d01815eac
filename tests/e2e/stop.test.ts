import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { findClickHouse, type RunningClickHouse, startClickHouse } from "../servers/clickhouse.ts";
import { runsOnServers } from "../servers/fresh-engines.ts";
import { cleanUp, onCleanUp } from "./support/clean-up.ts";
import { expectStoredOnce } from "./support/expect-stored-once.ts";
import { createExperiment, makeEvent, openAccess, postEvents } from "./support/experiment.ts";
import { groupOf } from "./support/process-table.ts";
import { CLI, NODE, type Program, startProgram } from "./support/program.ts";
import { seededRandom } from "./support/seeded-random.ts";
import { Sender } from "./support/sender.ts";
import { attach, metric, startService } from "./support/service.ts";
import { readStoredEvents } from "./support/stored-events.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

afterEach(cleanUp);

test("SIGTERM during ingest: drains in order, ends with code 0, and every acknowledged event is there", async () => {
  const dataDir = temporaryFolder();
  const service = await startService(dataDir);
  const access = await openAccess(service);
  const experimentId = await createExperiment(service, access, "stopped");
  const sender = new Sender({ access, experimentId, random: seededRandom(7) });
  sender.start(service);
  await until("load is under way", () => sender.acknowledged.size > 2_000);
  service.program.signal("SIGTERM");
  const { code, signal } = await service.program.exited;
  await sender.stop();
  expect({ code, signal }).toEqual({ code: 0, signal: null });
  expect(service.program.stdout()).toContain("Stopping: storing what was accepted");
  const atItsStart = runsOnServers ? [expect.stringContaining("a single NATS server")] : [];
  expect(warningsOf(service.program)).toEqual(atItsStart);
  expect(groupOf(service.program.pid)).toEqual([]);
  if (runsOnServers) await storeWhatIsLeft(dataDir);
  expectStoredOnce(sender, await readStoredEvents(dataDir));
});

/** A queue of its own a service stores at its end; one that others take from may still hold what it had not taken. */
async function storeWhatIsLeft(dataDir: string): Promise<void> {
  const next = await startService(dataDir);
  await until("the rest is stored", async () => (await metric(next, "assay_queue_batches")) === 0);
  await next.stop();
}

test("a service that has stored everything starts again and accepts events", async () => {
  const dataDir = temporaryFolder();
  const first = await startService(dataDir);
  const access = await openAccess(first);
  const experimentId = await createExperiment(first, access, "again");
  const exposure = () => makeEvent(experimentId, { type: "exposure", user_id: "one", variant: "control" });
  await postEvents(first, access, [exposure()]);
  await until("the event is stored", async () => (await metric(first, "assay_queue_batches")) === 0);
  await first.stop();
  const second = await startService(dataDir);
  await postEvents(second, access, [exposure()]);
  await until("the next one, too", async () => (await metric(second, "assay_queue_batches")) === 0);
  await second.stop();
  expect((await readStoredEvents(dataDir)).rawEvents).toHaveLength(2);
});

test("SIGTERM right after the service reports that it listens stops it cleanly", async () => {
  const service = await startService(temporaryFolder());
  service.program.signal("SIGTERM");
  expect(await service.program.exited).toEqual({ code: 0, signal: null });
});

test("a client that never ends its request does not hold up the stop", async () => {
  const service = await startService(temporaryFolder());
  const { key } = await openAccess(service);
  const socket = connect(Number(service.port), "127.0.0.1");
  onCleanUp(() => socket.destroy());
  socket.on("error", () => {}); // The service may well cut it off.
  const head = `POST /v1/events HTTP/1.1\r\nHost: assay\r\nX-API-Key: ${key["x-api-key"]}\r\nContent-Length: 1000\r\n\r\n{`;
  await new Promise<unknown>((resolve) => socket.write(head, resolve));
  expect((await service.send("GET", "/readyz")).status).toBe(200); // Answered after the head was read.
  service.program.signal("SIGTERM");
  expect(await service.program.exited).toEqual({ code: 0, signal: null });
});

test("Ctrl+C, which a terminal sends to launcher, service and engine, stops them cleanly", async () => {
  const dataDir = temporaryFolder();
  const env = { ASSAY_PORT: "0", ASSAY_DATA_DIR: dataDir };
  const launcher = startProgram("node", ["scripts/launch.mjs", "apps/cli/src/main.ts", "serve"], env);
  const service = await attach(launcher, dataDir);
  expect((await service.send("GET", "/readyz")).status).toBe(200);
  launcher.signalGroup("SIGINT");
  expect(await launcher.exited).toEqual({ code: 0, signal: null });
  expect(launcher.stdout()).toContain("Stopping: storing what was accepted");
  expect(groupOf(launcher.pid)).toEqual([]);
});

test.each([
  { signal: "SIGKILL", says: /^The process ended by kill -9, or because the memory ran out/m },
  { signal: "SIGBUS", says: /^The process ended in native code: the disk may be full/m },
])(
  "the launcher reports that its program was ended by $signal, since the program cannot",
  async ({ signal, says }) => {
    const entry = join(temporaryFolder(), "ends.ts");
    writeFileSync(entry, `process.kill(process.pid, "${signal}");`);
    const launcher = startProgram("node", ["scripts/launch.mjs", relative(".", entry)], {});
    expect((await launcher.exited).code).toBe(1);
    expect(launcher.stderr()).toMatch(says);
  },
);

test("a service that is asked to stop is at once not ready, and keeps answering for as long as load balancers need", async () => {
  const service = await startService(temporaryFolder(), { ASSAY_STOP_DELAY_SECONDS: "3" });
  const access = await openAccess(service);
  const experimentId = await createExperiment(service, access, "leaving");
  service.program.signal("SIGTERM");
  const readiness = () => service.send<{ status: string }>("GET", "/readyz");
  const { status, body } = await until("it is not ready", async () => {
    const answer = await readiness();
    return answer.status === 503 ? answer : null;
  });
  expect([status, body.status]).toEqual([503, "stopping"]);
  expect((await service.send("GET", "/healthz")).status).toBe(200);
  const event = makeEvent(experimentId, { type: "exposure", user_id: "late", variant: "control" });
  await postEvents(service, access, [event]);
  expect(await service.program.exited).toEqual({ code: 0, signal: null });
  expect((await readStoredEvents(service.dataDir)).rawEvents).toHaveLength(1);
});

test("a stop during the start ends the process, also as PID 1 of a container", async () => {
  if (!canMakePidNamespace()) {
    console.warn("NOT RUN: as process 1. It needs unshare and the right to use it.");
    return;
  }
  const env = { ASSAY_PORT: "0", ASSAY_DATA_DIR: temporaryFolder() };
  // The launcher of the namespace takes signals for itself: they are sent to the process inside, which is 1 there.
  const program = startProgram("unshare", ["--pid", "--fork", "--kill-child", NODE, CLI, "serve"], env);
  const inside = await until("the process is there", () => childrenOf(program.pid).at(0));
  const dataDir = env.ASSAY_DATA_DIR;
  await until("it has begun to start", () => existsSync(join(dataDir, "control.sqlite")));
  process.kill(inside, "SIGTERM");
  expect((await program.exited).code).not.toBeNull();
  expect(program.stdout()).not.toContain("listens on");
  const again = startProgram("unshare", ["--pid", "--fork", "--kill-child", NODE, CLI, "serve"], env);
  await attach(again, dataDir);
  process.kill(childrenOf(again.pid)[0] ?? 0, "SIGTERM");
  expect((await again.exited).code).toBe(0);
  expect(again.stdout()).toContain("Stopping: storing what was accepted");
});

describe.skipIf(findClickHouse() === null)("an event store that hangs", () => {
  let store: RunningClickHouse;
  beforeAll(async () => {
    store = await startClickHouse();
  });
  afterAll(() => store.stop());

  /** A service with an accepted event that it cannot store. */
  async function holdUp() {
    const dataDir = temporaryFolder();
    const service = await startService(dataDir, { ASSAY_EVENTS_URL: store.url });
    const access = await openAccess(service);
    const experimentId = await createExperiment(service, access, "held up");
    store.kill("SIGSTOP");
    const event = makeEvent(experimentId, { type: "exposure", user_id: "held", variant: "control" });
    await postEvents(service, access, [event]);
    // Batches that no worker has taken stay in a shared queue and delay nothing; from outside, nobody can see that a
    // batch is taken.
    if (runsOnServers) await sleep(2_000);
    return { service, dataDir, access, experimentId };
  }

  test("fails requests that read it as unavailable", async () => {
    const { service, access, experimentId } = await holdUp();
    const paths = ["/v1/usage", `/v1/experiments/${experimentId}/events`];
    const answers = await Promise.all(
      paths.map((path) => service.send("GET", path, { headers: access.session })),
    );
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    store.kill("SIGCONT");
  });

  test("does not delay the stop forever, and the next start stores what waits", async () => {
    const { service, dataDir } = await holdUp();
    const startedAt = performance.now();
    service.program.signal("SIGTERM");
    expect(await service.program.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - startedAt).toBeLessThan(60_000);
    expect(warningsOf(service.program).join("\n")).toContain("a step of stopping takes too long");
    store.kill("SIGCONT");
    const next = await startService(dataDir, { ASSAY_EVENTS_URL: store.url });
    await until("it is stored", async () => (await metric(next, "assay_queue_batches")) === 0);
    expect(await metric(next, "assay_events_stored_total")).toBe(1);
    await next.stop();
  });

  test("does not prevent a second signal from ending the process at once", async () => {
    const { service } = await holdUp();
    service.program.signal("SIGTERM");
    await until("it stops", () => service.program.stdout().includes("Stopping"));
    await sleep(1_100); // What comes sooner counts as the same Ctrl+C.
    const askedAt = performance.now();
    service.program.signal("SIGTERM");
    expect(await service.program.exited).toEqual({ code: 1, signal: null });
    expect(performance.now() - askedAt).toBeLessThan(10_000);
    store.kill("SIGCONT");
  });
});

function canMakePidNamespace(): boolean {
  return spawnSync("unshare", ["--pid", "--fork", "true"]).status === 0;
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(" ").filter(Boolean).map(Number);
}

/** Log records of level warn and above. */
function warningsOf(program: Program): readonly string[] {
  return program
    .stderr()
    .split("\n")
    .filter((line) => line.startsWith("{") && (JSON.parse(line) as { level: number }).level >= 40);
}
