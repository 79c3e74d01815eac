import { execFile } from "node:child_process";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { processTree } from "./process-stat.ts";
import { type Program, ROOT, startProgram } from "./program.ts";
import { tempFolder } from "./temp-folder.ts";

const SOURCE = "apps/cli/src/main.ts";
/** The bench's test passes the built program, which starts with half the CPU time. */
const CLI = process.env.BENCH_CLI ?? SOURCE;
/** One key carries the whole load here. Its rate limits are checked as usual but never reached. */
const NO_RATE_LIMIT = "999999999";
const LAUNCHER = "scripts/launch.mjs";

/** The real service, started as an operator would. */
export interface RunningService extends Program {
  readonly url: string;
  readonly dataDir: string;
  /** The local owner's session. */
  readonly token: string;
  /** Processes, parents first: the service and its event engine. */
  pids(): readonly number[];
  /** Makes another org with a running experiment of the same name, and returns a publishable key for it. */
  addOrg(name: string): Promise<string>;
  /** Calls the dashboard's API plane. Throws unless the answer is a success. */
  call<T>(method: "GET" | "POST", path: string, body?: object): Promise<T>;
}

/** A service on a new folder, with one experiment. */
export interface Service extends RunningService {
  /** The experiment's name. */
  readonly experiment: string;
  readonly experimentId: string;
  /** An API key of the ingest plane. */
  readonly key: string;
}

interface ServiceOptions {
  /** Address of a PostgreSQL; SQLite when absent. */
  readonly databaseUrl?: string;
  /** Address of a ClickHouse; the embedded engine when absent. */
  readonly eventsUrl?: string;
  /** Starts through the launcher, as `npm start` does. */
  readonly isLaunched?: boolean;
  /** Further settings. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Starts the service with an org, a key and a running experiment whose config a client library has polled.
 */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const service = await runService(await tempFolder(), options);
  const { key, experimentId } = await fillOrg(service.url, service.token);
  return { ...service, key, experiment: EXPERIMENT.name, experimentId };
}

/** Makes a key and a running experiment in a token's org. */
async function fillOrg(url: string, token: string) {
  const post = <T>(path: string, body: object) =>
    callApi<T>(`${url}${path}`, { method: "POST", token, body });
  const { key } = await post<{ key: string }>("/v1/keys", { scope: "publishable" });
  const { id } = await post<{ id: string }>("/v1/experiments", EXPERIMENT);
  // The first poll of a client library claims all buckets. After that no event claims one.
  await fetch(`${url}/v1/config`, { headers: { "x-api-key": key } });
  return { key, experimentId: id };
}

/** Starts the service on a data folder, empty or used before. */
export async function runService(
  dataDir: string,
  { databaseUrl, eventsUrl, isLaunched, settings }: ServiceOptions = {},
): Promise<RunningService> {
  const env = {
    ASSAY_DATA_DIR: dataDir,
    ASSAY_PORT: "0",
    ASSAY_RATE_ASSIGN_PER_SECOND: NO_RATE_LIMIT,
    ASSAY_RATE_EVENTS_PER_SECOND: NO_RATE_LIMIT,
    ASSAY_RATE_PUBLIC_ROWS_PER_SECOND: NO_RATE_LIMIT,
    ASSAY_RATE_PUBLIC_BYTES_PER_SECOND: NO_RATE_LIMIT,
    ASSAY_RATE_ROWS_PER_SECOND: NO_RATE_LIMIT,
    ASSAY_RATE_BYTES_PER_SECOND: NO_RATE_LIMIT,
    ASSAY_RATE_CONFIG_PER_SECOND: NO_RATE_LIMIT,
    ...(databaseUrl === undefined ? {} : { ASSAY_DATABASE_URL: databaseUrl }),
    ...(eventsUrl === undefined ? {} : { ASSAY_EVENTS_URL: eventsUrl }),
    ...settings,
  };
  const program = startProgram([...(isLaunched ? [LAUNCHER, SOURCE] : [CLI]), "serve"], env);
  const url = await addressOf(program);
  const tokenOf = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, "session-token", ...args], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, ...env },
    });
    return stdout.trim();
  };
  const token = await tokenOf();
  return {
    ...program,
    url,
    dataDir,
    token,
    pids: () => processTree(program.pid),
    addOrg: async (name) =>
      (await fillOrg(url, await tokenOf("--org", name, "--email", `owner@${name}.example`))).key,
    call: (method, path, body) => callApi(`${url}${path}`, { method, token, body }),
  };
}

const EXPERIMENT = {
  name: "answer-style",
  salt: "bench",
  bucket_count: 1000,
  status: "running",
  control: "base",
  allocation: [
    { variant: "base", weight: 1 },
    { variant: "concise", weight: 1 },
  ],
  variants: [
    { key: "base", prompt: "You are a helpful assistant." },
    { key: "concise", prompt: "You are a helpful assistant. Be as concise as possible." },
  ],
  metrics: [
    {
      name: "answer_accepted",
      kind: "binary",
      category: "business",
      method_default: "auto",
      metric_version: 1,
      shared_org_wide: false,
    },
  ],
};

async function addressOf({ child }: Program): Promise<string> {
  if (child.stdout === null) throw new Error("The service has no standard output.");
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listens on (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    return url;
  }
  throw new Error("The service did not start: try npm run assay -- doctor.");
}

interface Call {
  readonly method: "GET" | "POST";
  readonly token: string;
  readonly body: object | undefined;
}

async function callApi<T>(url: string, { method, token, body }: Call): Promise<T> {
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
