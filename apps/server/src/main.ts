import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "@assay/domain";
import { lockFolder, startEmbeddedClickHouse } from "@assay/storage";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { v7 as uuidv7 } from "uuid";
import { auditEntry, SYSTEM } from "./audit-entry.ts";
import { composeDeps } from "./compose-deps.ts";
import { openChangeFeed } from "./config/change-feed.ts";
import { logCurrentWork } from "./current-work.ts";
import { type DataFolder, dataFolderOnDemand } from "./data-folder/data-folder.ts";
import type { SigningKeySettings } from "./data-folder/read-signing-key.ts";
import type { Deps } from "./deps.ts";
import { openControlPlane, openEngines } from "./engines/open-engines.ts";
import { buildApp } from "./http/app.ts";
import { BODY_TIMEOUT_MS } from "./http/body-timeout.ts";
import { listen } from "./http/listen.ts";
import { LOCAL_ORG, LOCAL_OWNER, localSubject } from "./identity/local-identity.ts";
import { endSessionsOf } from "./identity/sessions.ts";
import { createSignInToken, TICKET_MS } from "./identity/sign-in-links.ts";
import { openaiJudge } from "./judging/openai-judge.ts";
import { createPipelineThreads } from "./pipeline/pipeline-threads.ts";
import { openaiAnswers } from "./rehearsals/answer-endpoint.ts";
import type { Settings } from "./settings.ts";
import { Teardown } from "./teardown.ts";
import { tracePorts } from "./tracing/trace-ports.ts";
import { noTracing, type Tracing } from "./tracing/tracing.ts";
import { startWorkers } from "./worker/start-workers.ts";

/** Brings the schemas of both stores up to date; new tables for events are created on `eventsCluster`. */
export async function migrateStores(settings: Settings, log: Logger, eventsCluster?: string): Promise<void> {
  const teardown = new Teardown();
  try {
    const folder = heldFolder(settings, teardown);
    await openEngines(settings, folder, { ...realSources, log, teardown, eventsCluster });
  } finally {
    await teardown.run();
  }
}

interface PersonInOrg {
  readonly email: string;
  /** The external id of the org. */
  readonly org: string;
}

/**
 * Removes all passkeys of a person of the local identity and ends their sessions, with an audit entry. Returns how many
 * there were, or null when the org has no such member. The service may be running.
 */
export async function resetPasskeys(
  settings: SigningKeySettings,
  { email, org }: PersonInOrg,
): Promise<number | null> {
  const folder = dataFolderOnDemand(settings.dataDir, () => {});
  const control = await openControlPlane(settings, folder, realSources.newId);
  try {
    await control.migrate();
    const member = { externalUserId: localSubject(email), externalOrgId: org };
    const access = await control.people.findAccess(member);
    if (access === null || access.isRemoved) return null;
    const { orgId, userId } = access;
    const count = await control.transaction(async ({ passkeys, audit }) => {
      const summary = `Removed all passkeys of ${access.email}, by the command line.`;
      const entry = { action: "passkey.reset", targetType: "member", targetId: userId, summary };
      await audit.record(auditEntry({ ...SYSTEM, orgId }, entry, realSources));
      return passkeys.removeAll(access);
    });
    await endSessionsOf({ orgId, userId }, "all", { ...realSources, control });
    return count;
  } finally {
    await control.close();
  }
}

/** Starts the embedded event engine on an empty folder and stops it, to check that it runs on this machine. */
export async function probeEmbeddedEngine(log: Logger): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "assay-probe-"));
  try {
    const engine = await startEmbeddedClickHouse({ dataDir, log });
    await engine.close();
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** A running service. */
export interface Service {
  readonly url: string;
  /** The dashboard's address. With the local identity it includes a one-time sign-in ticket for the owner, except on a worker. */
  readonly signInUrl: string;
  readonly app: FastifyInstance;
  /**
   * Reports not ready for as long as load balancers need to notice. Then stops taking requests, stores what was
   * accepted, releases its claims, and closes the engines, in this order and within half a minute.
   */
  close(): Promise<void>;
}

/** What a caller may replace: the sources of ids and time, and the timeouts of the judge and of request bodies. */
interface Sources {
  readonly newId: () => string;
  readonly clock: Clock;
  readonly judgeTimeoutMs?: number;
  readonly bodyTimeoutMs: number;
}

interface StartParts {
  readonly log: Logger;
  readonly teardown: Teardown;
}

const realSources: Sources = {
  newId: () => uuidv7(),
  clock: { now: () => Date.now() },
  bodyTimeoutMs: BODY_TIMEOUT_MS,
};

/** Starts the service. Only this module knows which engine implements each port. */
export async function startService(
  settings: Settings,
  log: Logger,
  sources: Partial<Sources> = {},
): Promise<Service> {
  const teardown = new Teardown(log);
  try {
    return await start(settings, { ...realSources, ...sources, log, teardown });
  } catch (error) {
    await teardown.run();
    throw error;
  }
}

async function start(settings: Settings, parts: Sources & StartParts): Promise<Service> {
  const { teardown, newId, clock } = parts;
  const log = logCurrentWork(parts.log);
  const folder = heldFolder(settings, teardown);
  const tracing = await openTracing(settings, log, teardown);
  const engines = await openEngines(settings, folder, { ...parts, log });
  const { eventsAt, ...stores } = engines;
  const pipeline = createPipelineThreads({ events: eventsAt }, pipelineThreadCount());
  const [leaving, stopping] = [new AbortController(), new AbortController()];
  const { judge, rehearsal } = settings;
  const timeout = { timeoutMs: parts.judgeTimeoutMs };
  const endpoint = judge && (await openaiJudge(judge, timeout));
  const answers = rehearsal && (await openaiAnswers(rehearsal, timeout));
  const ports = { ...stores, endpoint };
  const changes = await openChangeFeed(engines.control);
  teardown.add(() => changes.close());
  const deps = await composeDeps({
    settings,
    folder,
    answers,
    changes,
    pipeline,
    leaving: leaving.signal,
    stopping: stopping.signal,
    clock,
    log,
    newId,
    tracing,
    ...(tracing === noTracing ? ports : tracePorts(ports, tracing)),
  });
  const app = buildApp(deps, { ...settings, bodyTimeoutMs: parts.bodyTimeoutMs });
  startWorkers(settings, deps, teardown);
  // Stops long runs before waiting for the schedule. The next start repeats unfinished ones.
  teardown.add(async () => {
    stopping.abort();
    await pipeline.close();
  }, "pipeline runs");
  // Registered last, so stopped first: no request is accepted while the queue drains. Requests that wait for the judge end too.
  teardown.add(async () => {
    await Promise.all([app.close(), deps.judging.close(), deps.rehearsing.close()]);
  }, "requests, judgements and rehearsals");
  const url = await listen(app, settings);
  return {
    url,
    signInUrl: await signInAddress(url, settings, deps),
    app,
    async close() {
      leaving.abort();
      await sleep(settings.stopDelayMs);
      await teardown.run();
    },
  };
}

/** Loads the OpenTelemetry packages only if tracing is configured. */
async function openTracing(
  { tracing: settings, role }: Settings,
  log: Logger,
  teardown: Teardown,
): Promise<Tracing> {
  if (settings === null) return noTracing;
  const { openTracing } = await import("./tracing/open-tracing.ts");
  const tracing = openTracing(settings, role, log);
  teardown.add(() => tracing.close());
  return tracing;
}

/** Makes the data folder, which is locked at its first use. It is unused when all engines and keys are elsewhere. */
function heldFolder({ dataDir }: Settings, teardown: Teardown): DataFolder {
  return dataFolderOnDemand(dataDir, (folder) => holdFolder(folder, teardown));
}

function holdFolder(folder: DataFolder, teardown: Teardown): void {
  const lock = lockFolder(folder.file("lock"));
  teardown.add(() => lock.release());
}

/** Leaves one core to the event loop. Each thread holds one experiment's users in memory. */
function pipelineThreadCount(): number {
  return Math.min(4, Math.max(1, availableParallelism() - 1));
}

async function signInAddress(url: string, { role, publicUrl }: Settings, deps: Deps): Promise<string> {
  const address = publicUrl ?? url;
  if (role === "worker" || deps.identity.kind !== "local") return address;
  return `${address}/sign-in#ticket=${await ownerTicket(deps)}`;
}

/** Creates the owner's ticket. Redeeming it for the first time creates the org and its owner. */
function ownerTicket(deps: Deps): Promise<string> {
  const owner = { ...LOCAL_OWNER, role: "owner", externalOrgId: LOCAL_ORG.externalId } as const;
  return createSignInToken(owner, TICKET_MS, deps);
}
