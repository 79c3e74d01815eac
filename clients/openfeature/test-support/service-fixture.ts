import { Client } from "@assay/client/core";
import { type Reply, ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { ManualSchedule } from "../../typescript/test-support/manual-schedule.ts";

export const GREETING = "0190a6c2-7b5e-7c3d-9f10-000000000001";
export const CHECKOUT = "0190a6c2-7b5e-7c3d-9f10-000000000002";
const EMPTY = "0190a6c2-7b5e-7c3d-9f10-000000000003";
const OVER = "0190a6c2-7b5e-7c3d-9f10-000000000004";
const SHIPPED = "0190a6c2-7b5e-7c3d-9f10-000000000005";
const NAMED = "0190a6c2-7b5e-7c3d-9f10-000000000006";

/** Everybody is in the second variant, unless `share` (of 100 buckets) is less. */
function experiment(
  id: string,
  name: string,
  { share = 100, status = "running", content = {}, shipped = false } = {},
) {
  const variants = [{ key: "control" }, { key: "treated", ...content }];
  const buckets = [[share, 1]];
  return { id, name, version: 3, status, shipped, salt: "s", bucket_count: 100, buckets, variants };
}

/** An answer of GET /v1/config. */
export function config(version: number): Reply {
  const content = { prompt: "Be brief.", variables: { temperature: 0.2, tools: ["search"] } };
  const experiments = [
    experiment(GREETING, "greeting", { content }),
    experiment(CHECKOUT, "checkout"),
    experiment(EMPTY, "empty", { share: 0 }),
    experiment(OVER, "over", { status: "stopped" }),
    experiment(NAMED, "checkout.prompt", { shipped: true }),
    experiment(SHIPPED, "shipped", { shipped: true }),
  ];
  return { status: 200, body: { config_version: version, experiments } };
}

/** Starts a server that serves the config and acknowledges every batch. */
export async function startService(): Promise<ScriptedServer> {
  const server = await ScriptedServer.start();
  server.script("/v1/config", config(1));
  server.script("/v1/events", { status: 202, body: { accepted: 1, config_version: 1, rejected: [] } });
  return server;
}

/** Makes a client of the server with a manual schedule and a recorded log. */
export function makeClient({ url: baseUrl }: ScriptedServer) {
  const schedule = new ManualSchedule();
  const lines: string[] = [];
  const log = { warn: (line: string) => lines.push(line), error: (line: string) => lines.push(line) };
  const client = new Client({ apiKey: "svc_pk_1", baseUrl, schedule: schedule.run, log });
  return { client, schedule, lines };
}
