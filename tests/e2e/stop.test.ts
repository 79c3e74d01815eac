import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { cleanUp, onCleanUp } from "./support/clean-up.ts";
import { expectStoredOnce } from "./support/expect-stored-once.ts";
import { createExperiment, makeEvent, openAccess, postEvents } from "./support/experiment.ts";
import { groupOf } from "./support/process-table.ts";
import { type Program, startProgram } from "./support/program.ts";
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
  expect(warningsOf(service.program)).toEqual([]);
  expect(groupOf(service.program.pid)).toEqual([]);
  expectStoredOnce(sender, await readStoredEvents(dataDir));
}, 60_000);

test("a service that has stored everything starts again and takes events", async () => {
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
}, 60_000);

test("SIGTERM as soon as the service says that it listens ends it in order", async () => {
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
}, 30_000);

test("Ctrl+C, which a terminal sends to launcher, service and engine alike, ends them in order", async () => {
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

/** Log records of level warn and above. */
function warningsOf(program: Program): readonly string[] {
  return program
    .stderr()
    .split("\n")
    .filter((line) => line.startsWith("{") && (JSON.parse(line) as { level: number }).level >= 40);
}
