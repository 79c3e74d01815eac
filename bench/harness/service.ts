import { execFile } from "node:child_process";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { processTree } from "./process-stat.ts";
import { type Program, ROOT, startProgram } from "./program.ts";
import { tempFolder } from "./temp-folder.ts";

const CLI = "apps/cli/src/main.ts";
const LAUNCHER = "scripts/launch.mjs";

/** The real service, started as an operator starts it, on a folder of its own. */
export interface Service extends Program {
  readonly url: string;
  /** Name of the experiment that was made. */
  readonly experiment: string;
  readonly experimentId: string;
  /** An API key of the ingest plane. */
  readonly key: string;
  /** Processes of the service, parents first: the service itself and its event engine. */
  pids(): readonly number[];
}

interface ServiceOptions {
  /** Address of a ClickHouse; the embedded engine when absent. */
  readonly eventsUrl?: string;
  /** Starts through the launcher, as `npm start` does. */
  readonly isLaunched?: boolean;
}

/** Starts the service with an org, a key and a running experiment whose config client libraries have seen. */
export async function startService({ eventsUrl, isLaunched }: ServiceOptions = {}): Promise<Service> {
  const dataDir = await tempFolder();
  const env = {
    ASSAY_DATA_DIR: dataDir,
    ASSAY_PORT: "0",
    ...(eventsUrl === undefined ? {} : { ASSAY_EVENTS_URL: eventsUrl }),
  };
  const program = startProgram([...(isLaunched ? [LAUNCHER] : []), CLI, "serve"], env);
  const url = await addressOf(program);
  const { stdout: token } = await promisify(execFile)(process.execPath, [CLI, "session-token"], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...env },
  });
  const post = <T>(path: string, body: object) => callApi<T>(url + path, token.trim(), body);
  const { key } = await post<{ key: string }>("/v1/keys", { scope: "publishable" });
  const { id } = await post<{ id: string }>("/v1/experiments", EXPERIMENT);
  // Buckets are frozen by the first poll of a client library: from then on no event claims one.
  await fetch(`${url}/v1/config`, { headers: { "x-api-key": key } });
  return {
    ...program,
    url,
    key,
    experiment: EXPERIMENT.name,
    experimentId: id,
    pids: () => processTree(program.pid),
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

async function callApi<T>(url: string, token: string, body: object): Promise<T> {
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`POST ${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
