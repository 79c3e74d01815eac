import { existsSync, readdirSync } from "node:fs";
import { BUILT_CHECK_ANSWERS } from "../../build-programs.ts";
import { putMigratedStores } from "../../migrated-stores.ts";
import { runsOnServers } from "../../servers/fresh-engines.ts";
import {
  CLI,
  type Environment,
  enginesAt,
  NODE,
  type Program,
  runCli,
  startProgram,
  useEngines,
} from "./program.ts";
import { serverEngines } from "./shared-engines.ts";
import { until } from "./until.ts";

const START_MS = 80_000;

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** RFC 9457, as the service answers it. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
}

interface Request {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** A service in a process of its own, on a port that the system chose. */
export interface RunningService {
  readonly url: string;
  readonly port: string;
  readonly dataDir: string;
  /** Its settings. */
  readonly env: Environment;
  readonly program: Program;
  /** The embedded engine's process as the log last named it; throws when the service runs on servers. */
  enginePid(): number;
  /** Calls with the headers given; throws when no answer comes. */
  send<T>(method: string, path: string, request?: Request): Promise<Answer<T>>;
  /** Asks it to stop and waits until it exits. */
  stop(): Promise<void>;
}

/**
 * Starts a service on a data folder and resolves once it listens. Where the suites run on servers, the folder stands for fresh
 * engines there, unless the settings name some.
 */
export async function startService(dataDir: string, env: Environment = {}): Promise<RunningService> {
  if (runsOnServers && env.ASSAY_DATABASE_URL === undefined && enginesAt(dataDir) === null) {
    useEngines(dataDir, await serverEngines());
  }
  // The README's commands and the demo begin on an empty folder.
  const hasOwnStores = env.ASSAY_DATABASE_URL === undefined && enginesAt(dataDir) === null;
  if (hasOwnStores && isEmpty(dataDir)) await putMigratedStores(dataDir);
  const program = startProgram(NODE, ["--import", BUILT_CHECK_ANSWERS, CLI, "serve"], {
    ASSAY_PORT: "0",
    ASSAY_DATA_DIR: dataDir,
    // A fast machine exceeds the rate limits of one key, which are not what these tests are about.
    ASSAY_RATE_EVENTS_PER_SECOND: "100000",
    ASSAY_RATE_PUBLIC_ROWS_PER_SECOND: "100000000",
    ASSAY_RATE_PUBLIC_BYTES_PER_SECOND: "999999999",
    ASSAY_RATE_ROWS_PER_SECOND: "100000000",
    ASSAY_RATE_BYTES_PER_SECOND: "999999999",
    ...env,
  });
  return attach(program, dataDir, env);
}

const isEmpty = (folder: string) => existsSync(folder) && readdirSync(folder).length === 0;

/** Waits until a program that serves a data folder listens. */
export async function attach(
  program: Program,
  dataDir: string,
  env: Environment = {},
): Promise<RunningService> {
  const url = await until(
    "the service listens",
    () => {
      if (program.hasExited()) throw new Error(`The service ended at its start:\n${program.stderr()}`);
      return /listens on (http:\/\/\S+)/.exec(program.stdout())?.[1];
    },
    START_MS,
  );
  return {
    url,
    port: new URL(url).port,
    dataDir,
    env,
    program,
    enginePid() {
      const pid = enginePids(program).at(-1);
      if (pid === undefined) throw new Error("The service has no engine of its own.");
      return pid;
    },
    send: (method, path, request) => send(`${url}${path}`, method, request),
    async stop() {
      program.signal("SIGTERM");
      const { code } = await program.exited;
      if (code !== 0) throw new Error(`The service stopped with code ${code}:\n${program.stderr()}`);
    },
  };
}

/** The processes of the embedded engine that the service's log has named, oldest first. */
export function enginePids(program: Program): readonly number[] {
  const lines = program.stderr().matchAll(/"pid":(\d+),"port":\d+,"msg":"The embedded ClickHouse is ready"/g);
  return [...lines].map(([, pid]) => Number(pid));
}

/** Calls an address, with the body, if any, as JSON. */
export async function send<T>(
  url: string,
  method: string,
  { body, headers = {}, timeoutMs = 60_000 }: Request = {},
): Promise<Answer<T>> {
  const response = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  const isJson = /[/+]json/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson && text !== "" ? JSON.parse(text) : text) as T,
  };
}

/** Makes the headers of a session of the service, by default of the local owner, with a token from the command line. */
export async function ownerSession(
  { dataDir, env }: Pick<RunningService, "dataDir" | "env">,
  args: readonly string[] = [],
): Promise<Readonly<Record<string, string>>> {
  const { code, stdout, stderr } = await runCli(["session-token", ...args], {
    ...env,
    ASSAY_DATA_DIR: dataDir,
  });
  if (code !== 0) throw new Error(stderr);
  return { authorization: `Bearer ${stdout.trim()}` };
}

/** Sends a request that must succeed and returns its body. */
export async function expectOk<T>(request: Promise<Answer<T>>): Promise<T> {
  const { status, body } = await request;
  if (status >= 300) throw new Error(`The service answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Reads one number from the service's metrics. */
export async function metric(service: Pick<RunningService, "send">, name: string): Promise<number> {
  const text = await expectOk(service.send<string>("GET", "/metrics"));
  const line = new RegExp(`^${name} (\\S+)$`, "m").exec(text);
  if (line === null) throw new Error(`There is no metric ${name}.`);
  return Number(line[1]);
}
