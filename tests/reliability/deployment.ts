import { randomBytes } from "node:crypto";
import { onCleanUp } from "../e2e/support/clean-up.ts";
import { type Environment, runCli } from "../e2e/support/program.ts";
import { expectOk, send } from "../e2e/support/service.ts";
import { findClickHouse, type RunningClickHouse, startClickHouse } from "../servers/clickhouse.ts";
import { findNats, type NatsServers, startNats } from "../servers/nats.ts";
import { findPostgres, type RunningPostgres, startPostgres } from "../servers/postgres.ts";
import { type Supervised, startSupervised } from "./supervised.ts";

/** Two processes of each role, with their own servers. */
export interface Deployment {
  readonly postgres: RunningPostgres;
  readonly clickhouse: RunningClickHouse;
  readonly nats: NatsServers;
  readonly apis: readonly Supervised[];
  readonly workers: readonly Supervised[];
  /** Every process of the service. */
  readonly processes: readonly Supervised[];
  /** Settings that each process has. */
  readonly env: Environment;
}

const PROCESSES_PER_ROLE = 2;

/** Names what a deployment needs but this machine lacks; null when nothing is missing. */
export function missingServer(): string | null {
  const found = {
    PostgreSQL: findPostgres(),
    "ClickHouse's library or Python 3": findClickHouse(),
    NATS: findNats(),
  };
  const missing = Object.entries(found).filter(([, where]) => where === null);
  return missing.length === 0 ? null : missing.map(([name]) => name).join(", ");
}

/** Starts servers and processes. The cleanup stops them. */
export async function startDeployment(): Promise<Deployment> {
  const stopped = <T extends { stop(): Promise<void> }>(server: T): T => {
    onCleanUp(() => server.stop());
    return server;
  };
  const [postgres, clickhouse, nats] = await Promise.all([
    startPostgres().then(stopped),
    startClickHouse().then(stopped),
    startNats({ nodes: 3 }).then(stopped),
  ]);
  const env = {
    ASSAY_DATABASE_URL: postgres.url,
    ASSAY_EVENTS_URL: clickhouse.url,
    ASSAY_QUEUE_URL: nats.url,
    ASSAY_MASTER_KEY: randomBytes(32).toString("base64"),
    // The load comes from one key. Rate limits are not tested here.
    ASSAY_RATE_EVENTS_PER_SECOND: "100000",
    ASSAY_RATE_PUBLIC_ROWS_PER_SECOND: "100000000",
    ASSAY_RATE_PUBLIC_BYTES_PER_SECOND: "999999999",
    ASSAY_RATE_ROWS_PER_SECOND: "100000000",
    ASSAY_RATE_BYTES_PER_SECOND: "999999999",
  };
  // All at once, as an orchestrator would. The processes agree on which one migrates the schemas.
  const start = (role: string) =>
    Promise.all(
      Array.from({ length: PROCESSES_PER_ROLE }, (_, index) =>
        startSupervised(`${role} ${index + 1}`, { ...env, ASSAY_ROLE: role }),
      ),
    );
  const [apis, workers] = await Promise.all([start("api"), start("worker")]);
  return { postgres, clickhouse, nats, apis, workers, processes: [...apis, ...workers], env };
}

/** Credentials for calls: the owner's session and a secret key. */
export interface Credentials {
  readonly session: Readonly<Record<string, string>>;
  readonly key: Readonly<Record<string, string>>;
}

/** Signs in as the owner with a token from the command line, and makes a key. */
export async function openCredentials({ env, apis }: Deployment): Promise<Credentials> {
  const session = await signIn(env);
  const request = { headers: session, body: { scope: "secret" } };
  const { key } = await expectOk(send<{ key: string }>(`${apis[0]!.url}/v1/keys`, "POST", request));
  return { session, key: { "x-api-key": key } };
}

/** Makes the headers of a fresh session of the owner. */
export async function signIn(env: Environment): Promise<Readonly<Record<string, string>>> {
  const { code, stdout, stderr } = await runCli(["session-token"], env);
  if (code !== 0) throw new Error(stderr);
  return { authorization: `Bearer ${stdout.trim()}` };
}
