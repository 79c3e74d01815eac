import { expect } from "vitest";
import { type Reply, ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { Client } from "../src/client.ts";
import type { FullClientOptions } from "../src/client-options.ts";
import { ManualSchedule } from "./manual-schedule.ts";
import { RecordedLog } from "./recorded-log.ts";
import { sampleConfig } from "./sample-config.ts";

export const ACK: Reply = { status: 202, body: { accepted: 1, config_version: 1, rejected: [] } };
export const CONFIG: Reply = { status: 200, headers: { etag: '"v1"' }, body: sampleConfig() };
const NOON = Date.UTC(2026, 6, 6, 12);

/** Starts a server that serves the sample config and acknowledges every batch. */
export async function startService(): Promise<ScriptedServer> {
  const server = await ScriptedServer.start();
  server.script("/v1/config", CONFIG);
  server.script("/v1/events", ACK);
  return server;
}

/** Makes a client of the server with a manual schedule, a recorded log and a clock fixed at noon. */
export function makeClient(server: ScriptedServer, options: FullClientOptions = {}) {
  const schedule = new ManualSchedule();
  const log = new RecordedLog();
  const now = { value: NOON };
  const client = new Client({
    apiKey: "svc_pk_1",
    baseUrl: server.url,
    schedule: schedule.run,
    log,
    now: () => now.value,
    ...options,
  });
  return { client, schedule, lines: log.lines, now };
}

/** Makes a client and waits until its config is loaded. */
export async function makeLoadedClient(server: ScriptedServer, options: FullClientOptions = {}) {
  const parts = makeClient(server, options);
  expect(await parts.client.ready()).toBe(true);
  return parts;
}
