import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import type { Clock, ControlPlane, KeyScope, Role } from "@assay/domain";
import { pino } from "pino";
import { putMigratedStores } from "../../../../tests/migrated-stores.ts";
import { takeEngine } from "../../../../tests/pooled-engine.ts";
import { type FreshEngines, freshEngines, runsOnServers } from "../../../../tests/servers/fresh-engines.ts";
import { readSigningKey } from "../data-folder/read-signing-key.ts";
import { LOCAL_ORG, LOCAL_OWNER, localIdentity } from "../identity/local-identity.ts";
import { type Service, startService } from "../main.ts";
import { parseSettings, type Settings } from "../settings.ts";
import { takeAnswerFaults } from "./check-answers.ts";
import { openControlPlane } from "./control-plane.ts";

export interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; null when there is none. */
  readonly body: T;
}

interface CallOptions {
  readonly body?: unknown;
  readonly token?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A real service, on embedded engines (files in a folder of its own, and an event engine of the process) or, with `ASSAY_TEST_ENGINES=servers`, on fresh ones of servers. */
export interface TestService {
  readonly service: Service;
  readonly dataDir: string;
  /** What its next start is given: a test may have changed what it named. */
  settings(): Settings;
  /** The service's own control plane, opened a second time; the caller closes it. */
  openControl(): ControlPlane;
  /** Everything that was logged so far. */
  logged(): string;
  /** A session token; of the local owner when nothing is said. */
  token(subject?: { readonly email?: string; readonly role?: Role; readonly org?: string }): Promise<string>;
  /** A fresh API key of the owner's org. */
  newKey(scope: KeyScope): Promise<string>;
  /** Calls the API as the owner unless a token or key is given. */
  call<T>(method: string, path: string, options?: CallOptions): Promise<Answer<T>>;
  /** Stops the service and starts it again on the same folder. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a service for tests on the clock given, with the default settings but those given; `dataDir` is removed by `stop`. */
export async function openTestService(
  settings: Partial<Settings> = {},
  clock: Clock = { now: () => Date.now() },
  more: { readonly judgeTimeoutMs?: number; readonly bodyTimeoutMs?: number } = {},
): Promise<TestService> {
  const dataDir = mkdtempSync(join(tmpdir(), "assay-service-"));
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const engines = runsOnServers ? await freshEngines() : null;
  if (engines === null) await putMigratedStores(dataDir);
  const pooled = engines === null ? await takeEngine() : null;
  // Read at each start: a test may change what it gave.
  const all = () => ({
    ...parseSettings({}),
    ...(pooled !== null && { eventsUrl: pooled.url }),
    ...settingsOf(engines),
    ...settings,
    ...{ dataDir, port: 0 },
  });
  const start = () => startService(all(), pino({ level: "debug" }, sink), { clock, ...more });
  let service = await start();
  const tokens = localIdentity(await readSigningKey(all()), clock);
  const token: TestService["token"] = ({
    email = LOCAL_OWNER.email,
    role = "owner",
    org = LOCAL_ORG.externalId,
  } = {}) => tokens.issue({ email, name: email, role, externalOrgId: org });
  const call = async <T>(method: string, path: string, options: CallOptions = {}): Promise<Answer<T>> => {
    const credential: Record<string, string> =
      options.key === undefined
        ? { authorization: `Bearer ${options.token ?? (await token())}` }
        : { "x-api-key": options.key };
    return send<T>(`${service.url}${path}`, method, {
      ...options,
      headers: { ...credential, ...options.headers },
    });
  };
  return {
    get service() {
      return service;
    },
    dataDir,
    settings: all,
    openControl: () => openControlPlane(all().databaseUrl, dataDir),
    logged: () => lines.join(""),
    token,
    newKey: async (scope) => (await call<{ key: string }>("POST", "/v1/keys", { body: { scope } })).body.key,
    call,
    async restart() {
      await service.close();
      service = await start();
    },
    async stop() {
      await service.close();
      await Promise.all([engines?.drop(), pooled?.giveBack()]);
      rmSync(dataDir, { recursive: true, force: true });
      rejectFaults();
    },
  };
}

function settingsOf(engines: FreshEngines | null): Partial<Settings> {
  if (engines === null) return {};
  const { databaseUrl, eventsUrl, queueUrl, masterKey } = engines;
  return {
    databaseUrl,
    eventsUrl,
    queueUrls: queueUrl.split(","),
    masterKey: Buffer.from(masterKey, "base64"),
  };
}

/** A test that does not look at the answer fails too. */
function rejectFaults(): void {
  const faults = takeAnswerFaults();
  if (faults.length > 0) throw new Error(`Answers do not fit the contract.\n${faults.join("\n")}`);
}

async function send<T>(url: string, method: string, { body, headers = {} }: CallOptions): Promise<Answer<T>> {
  const response = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined
      ? {}
      : { body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  rejectFaults();
  const isJson = /[/+]json/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    body: (text === "" ? null : isJson ? JSON.parse(text) : text) as T,
  };
}
