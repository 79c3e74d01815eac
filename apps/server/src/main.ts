import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, type ControlPlane, DomainError, type UsageMonth } from "@assay/domain";
import {
  clickhouseEventStore,
  FolderLockedError,
  lockFolder,
  openLmdbQueue,
  openPostgresControlPlane,
  openSqliteControlPlane,
  startEmbeddedClickHouse,
} from "@assay/storage";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { v7 as uuidv7 } from "uuid";
import { createAnalysisThreads } from "./analysis/analysis-threads.ts";
import { runNightly } from "./analysis/run-nightly.ts";
import { stripeBilling } from "./billing/stripe-billing.ts";
import { createClaimBook } from "./config/claim-book.ts";
import { createKeyRing } from "./config/key-ring.ts";
import { createKeyUses } from "./config/key-uses.ts";
import { createSnapshots } from "./config/snapshots.ts";
import { type DataFolder, DataFolderError, damaged, openDataFolder } from "./data-folder/data-folder.ts";
import { createSealer } from "./data-folder/seal.ts";
import type { Deps } from "./deps.ts";
import { buildApp } from "./http/app.ts";
import { createRateLimits } from "./http/rate-limits.ts";
import { createSeatCaps } from "./identity/clerk-seat-caps.ts";
import { LOCAL_ORG, LOCAL_OWNER, localIdentity, makeSigningKey } from "./identity/local-identity.ts";
import { providerIdentity } from "./identity/provider-identity.ts";
import { createSignInToken, TICKET_MS } from "./identity/sign-in-links.ts";
import { createAllowance } from "./ingest/allowance.ts";
import { countAccepted } from "./ingest/count-accepted.ts";
import type { JudgeEndpoint } from "./judging/judge-endpoint.ts";
import { createJudging, type JudgingLoop, noJudging } from "./judging/judging-loop.ts";
import { openaiJudge } from "./judging/openai-judge.ts";
import { createMetrics } from "./metrics.ts";
import { createOrgPlans } from "./plans/org-plans.ts";
import { type Settings, SettingsError, serviceUrl } from "./settings.ts";
import { Teardown } from "./teardown.ts";
import { createTurns } from "./turns.ts";
import { startQueueDrain } from "./worker/drain-queue.ts";
import { nightlyTask } from "./worker/nightly-schedule.ts";
import { repeat } from "./worker/repeat.ts";
import { retentionTask } from "./worker/retention.ts";
import { settleQueue } from "./worker/settle-queue.ts";
import { createUsageMeter } from "./worker/usage-meter.ts";

const METER_INTERVAL_MS = 15_000;
const KEY_USE_INTERVAL_MS = 60_000;
const SCHEDULE_INTERVAL_MS = 30_000;
const SWEEP_INTERVAL_MS = 10 * 60_000;
const DRAW_INTERVAL_MS = 10 * 60_000;
const SEAT_CAPS_INTERVAL_MS = 24 * 3_600_000;
const COUNT_TIMEOUT_MS = 5_000;
const SHUTDOWN_DRAIN_MS = 10_000;

/** Brings the schemas of both stores up to date, and leaves. */
export async function migrateStores(settings: Settings, log: Logger): Promise<void> {
  const teardown = new Teardown();
  try {
    const folder = openDataFolder(settings.dataDir);
    holdFolder(folder, teardown);
    await openEngines(settings, folder, { ...realSources, log, teardown });
  } finally {
    await teardown.run();
  }
}

/** Starts the embedded event engine on an empty folder and stops it again: shows that it runs on this machine. */
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
  /** The dashboard's address, with a one-time sign-in ticket of the local owner where sessions are signed here. */
  readonly signInUrl: string;
  readonly app: FastifyInstance;
  /** Stops taking requests, stores what was accepted, and closes the engines, in this order. */
  close(): Promise<void>;
}

/** What a caller may replace: where new ids and the time come from, and how long a judge may take. */
interface Sources {
  readonly newId: () => string;
  readonly clock: Clock;
  readonly judgeTimeoutMs?: number;
}

interface StartParts {
  readonly log: Logger;
  readonly teardown: Teardown;
}

const realSources: Sources = { newId: () => uuidv7(), clock: { now: () => Date.now() } };

/** Starts the service: the one place that knows which engine stands behind each port. */
export async function startService(
  settings: Settings,
  log: Logger,
  sources: Partial<Sources> = {},
): Promise<Service> {
  const teardown = new Teardown();
  try {
    return await start(settings, { ...realSources, ...sources, log, teardown });
  } catch (error) {
    await teardown.run();
    throw error;
  }
}

async function start(settings: Settings, parts: Sources & StartParts): Promise<Service> {
  const { log, teardown, newId, clock } = parts;
  const folder = openDataFolder(settings.dataDir);
  holdFolder(folder, teardown);
  const engines = await openEngines(settings, folder, parts);
  const { eventsAt, ...stores } = engines;
  const analysis = createAnalysisThreads({ events: eventsAt }, analysisThreadCount());
  const stopping = new AbortController();
  const { judge } = settings;
  const deps = composeDeps({
    settings,
    endpoint: judge && (await openaiJudge(judge, { timeoutMs: parts.judgeTimeoutMs })),
    folder,
    analysis,
    stopping: stopping.signal,
    clock,
    log,
    newId,
    ...stores,
  });
  const app = buildApp(deps, settings.trustedProxies);
  startWorkers(settings, deps, teardown);
  // A night may take long: what it has not finished is left to the next start, and before its schedule is waited for.
  teardown.add(async () => {
    stopping.abort();
    await analysis.close();
  });
  // Registered last, so first to stop: no request is taken while the queue drains. One that waits for the judge ends with it.
  teardown.add(async () => {
    await Promise.all([app.close(), deps.judging.close()]);
  });
  const url = await listen(app, settings);
  return {
    url,
    signInUrl: deps.identity.kind === "local" ? `${url}/sign-in#ticket=${await ownerTicket(deps)}` : url,
    app,
    close: () => teardown.run(),
  };
}

function holdFolder(folder: DataFolder, teardown: Teardown): void {
  try {
    const lock = lockFolder(folder.file("lock"));
    teardown.add(() => lock.release());
  } catch (error) {
    if (error instanceof FolderLockedError) throw new DataFolderError(error.message, { cause: error });
    throw error;
  }
}

async function openEngines(
  settings: Settings,
  folder: DataFolder,
  { log, teardown, newId }: Sources & StartParts,
) {
  const control = openControlPlane(settings, folder, newId);
  teardown.add(() => control.close());
  await control.migrate();
  // Nobody else can have any: those of a process that was killed need not run out.
  if (!control.isShared) await control.judgements.releaseAll();
  const eventsAt = await eventsAddress(settings, folder, { log, teardown });
  const events = clickhouseEventStore(eventsAt);
  teardown.add(() => events.close());
  await events.migrate().catch((error: unknown) => {
    throw explainEventStore(error, settings);
  });
  const queue = await openLmdbQueue({ dir: folder.file("queue") });
  teardown.add(() => queue.close());
  return { control, events, queue, eventsAt };
}

/** One core stays with the event loop; each thread holds one experiment's users in memory. */
function analysisThreadCount(): number {
  return Math.min(4, Math.max(1, availableParallelism() - 1));
}

/** At start-up "the event store does not answer" has one likely cause on each engine: it is told with its remedy. */
function explainEventStore(error: unknown, { eventsUrl, dataDir }: Settings): unknown {
  if (!(error instanceof DomainError) || error.kind !== "storage-unavailable") return error;
  if (eventsUrl !== null)
    return new SettingsError(
      "ClickHouse at ASSAY_EVENTS_URL does not answer: check the address and that the server runs.",
    );
  return new DataFolderError(
    `The event engine cannot write to the data folder ${dataDir}; its disk is most likely full: free some space, or set ASSAY_DATA_DIR to a folder on another one.`,
    { cause: error },
  );
}

function openControlPlane({ databaseUrl }: Settings, folder: DataFolder, newId: () => string): ControlPlane {
  return databaseUrl === null
    ? openSqliteControlPlane({ file: folder.file("control.sqlite"), newId })
    : openPostgresControlPlane({ url: databaseUrl, newId });
}

async function eventsAddress(
  { eventsUrl }: Settings,
  folder: DataFolder,
  { log, teardown }: { log: Logger; teardown: Teardown },
): Promise<{ url: string; username: string; password: string }> {
  if (eventsUrl !== null) {
    const url = new URL(eventsUrl);
    const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    url.username = url.password = "";
    return { url: url.href, username: username || "default", password };
  }
  const engine = await startEmbeddedClickHouse({
    dataDir: folder.file("events"),
    log: log.child({ part: "event-engine" }),
  });
  teardown.add(() => engine.close());
  return engine;
}

type Parts = Pick<
  Deps,
  "analysis" | "stopping" | "control" | "events" | "queue" | "clock" | "log" | "newId"
> & {
  readonly settings: Settings;
  readonly folder: DataFolder;
  /** Null: this installation has no judge. */
  readonly endpoint: JudgeEndpoint | null;
};

type Composed = Deps & { readonly judging: JudgingLoop };

function composeDeps({ settings, folder, endpoint, ...parts }: Parts): Composed {
  const { control, events, clock, queue, log } = parts;
  const plans = createOrgPlans({ control, clock }, settings.enforcePlanLimits);
  const meter = createUsageMeter({ control, events, clock });
  const countNow = (orgId: string, month: UsageMonth) =>
    countAccepted({ orgId, month, timeoutMs: COUNT_TIMEOUT_MS }, { queue, meter });
  const snapshots = createSnapshots(control);
  const { identity, billing, nightlyAtMinutes, contactPerHour } = settings;
  // Another provider may well know somebody by the local owner's address.
  const owners = settings.platformOwnerEmails ?? (identity.kind === "local" ? [LOCAL_OWNER.email] : []);
  const deps = {
    ...parts,
    snapshots,
    demoTurns: createTurns(),
    claims: createClaimBook({ control, snapshots, clock }),
    keyRing: createKeyRing(control),
    keyUses: createKeyUses({ control, clock }),
    rateLimits: createRateLimits(settings.rateLimits, clock),
    contactPerHour,
    nightlyAtMinutes,
    plans,
    meter,
    allowance: createAllowance({ plans, clock, countNow }),
    identity:
      identity.kind === "local"
        ? localIdentity(folder.secret("identity.key", makeSigningKey), clock)
        : providerIdentity(identity, clock),
    seatCaps: createSeatCaps(identity, { control, plans, log }),
    billing: billing && stripeBilling(billing, clock),
    sealer: createSealer(settings.masterKey ?? generatedMasterKey(folder)),
    metrics: createMetrics({ queue, judgements: control.judgements }, () => clock.now()),
    isPlatformOwner: (email: string) => owners.includes(email.toLowerCase()),
  };
  return { ...deps, judging: endpoint === null ? noJudging : createJudging({ ...deps, endpoint }) };
}

function generatedMasterKey(folder: DataFolder): Buffer {
  const text = folder.secret("master.key", () => Buffer.from(randomBytes(32).toString("base64")));
  const key = Buffer.from(text.toString("utf8").trim(), "base64");
  if (key.length !== 32) throw damaged("master.key");
  return key;
}

function startWorkers(settings: Settings, deps: Composed, teardown: Teardown): void {
  const { clock, log, meter, keyUses, judging } = deps;
  const drain = startQueueDrain(deps);
  teardown.add(async () => {
    await settleQueue(SHUTDOWN_DRAIN_MS, deps);
    await drain.stop();
  });
  const runDay = nightlyTask({ clock, nightlyAtMinutes: settings.nightlyAtMinutes }, async (day) => {
    const runs = await runNightly(day, deps);
    if (runs.length > 0)
      log.info({ day, runs: runs.map(({ name, outcome }) => ({ name, outcome })) }, "nightly pipeline ran");
    const isLeft = runs.some(({ outcome }) => outcome === "failed" || outcome === "running-elsewhere");
    return isLeft ? "try-again" : "done";
  });
  const schedule = repeat("nightly", SCHEDULE_INTERVAL_MS, runDay, log);
  const metering = repeat("meter", METER_INTERVAL_MS, () => meter.run(), log);
  const drawing = repeat("judge-draws", DRAW_INTERVAL_MS, () => judging.drawMissed(), log);
  const judgingTask = repeat("judging", SCHEDULE_INTERVAL_MS, async () => judging.wake(), log);
  const keyUse = repeat("key-use", KEY_USE_INTERVAL_MS, () => keyUses.flush(), log);
  const sweeping = settings.enforcePlanLimits
    ? repeat("retention", SWEEP_INTERVAL_MS, retentionTask(deps), log)
    : null;
  // A downgrade that waited for the end of its cycle comes into force without an event.
  const capping =
    settings.enforcePlanLimits && deps.seatCaps.isPushed
      ? repeat("seat-caps", SEAT_CAPS_INTERVAL_MS, () => pushSeatCaps(deps), log)
      : null;
  teardown.add(async () => {
    const tasks = [schedule, metering, drawing, judgingTask, keyUse, sweeping, capping];
    await Promise.all(tasks.map((task) => task?.stop()));
    await keyUses
      .flush()
      .catch((error: unknown) => log.warn({ err: error }, "when keys were last used was not kept"));
  });
}

async function pushSeatCaps({ seatCaps, log }: Deps): Promise<void> {
  const failed = (await seatCaps.resync()).filter(({ fault }) => fault !== null);
  if (failed.length > 0) log.warn({ failed }, "the identity provider did not take all seat caps");
}

async function listen(app: FastifyInstance, { host, port }: Settings): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EADDRINUSE")
      throw new SettingsError(
        `Port ${port} on ${host} is in use: stop the other program, or set ASSAY_PORT to another port (0 takes any free one).`,
      );
    if (code === "EACCES")
      throw new SettingsError(
        `Port ${port} needs more rights than this user has: set ASSAY_PORT to 1024 or above.`,
      );
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
      throw new SettingsError(`ASSAY_HOST ${host} is no address of this machine.`);
    throw error;
  }
  const address = app.server.address();
  return serviceUrl({ host, port: typeof address === "object" && address !== null ? address.port : port });
}

/** The first start makes the org and its owner: redeeming the ticket provisions them. */
function ownerTicket(deps: Deps): Promise<string> {
  const owner = { ...LOCAL_OWNER, role: "owner", externalOrgId: LOCAL_ORG.externalId } as const;
  return createSignInToken(owner, TICKET_MS, deps);
}
