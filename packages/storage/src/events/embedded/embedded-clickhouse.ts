import { randomBytes } from "node:crypto";
import { access, constants, mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { syncPath } from "../../sync-path.ts";
import { DataFolderLockedError, type EngineChild, startEngineChild } from "./engine-child.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { requireWholeFolder } from "./whole-folder.ts";

/** The part of a logger that the supervisor needs; a pino logger has it. */
export interface EmbeddedLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A ClickHouse on a local folder: a supervised child process with ClickHouse's HTTP protocol. */
export interface EmbeddedClickHouse {
  /** Stays the same when the child restarts, so that existing clients keep working. */
  readonly url: string;
  readonly username: string;
  /** Random at each start. */
  readonly password: string;
  /** How often the child was restarted. */
  readonly restarts: number;
  /** The current child, or null while there is none. */
  readonly pid: number | null;
  /** Lets running queries finish for a few seconds, closes the folder and ends the child. */
  close(): Promise<void>;
}

/** The data folder, and how the child is watched. */
export interface EmbeddedClickHouseOptions {
  readonly dataDir: string;
  readonly log: EmbeddedLog;
  /** Time between two heartbeats; the child is killed after three without an answer. 5,000 by default. */
  readonly heartbeatMs?: number;
  /** How long to wait for the dying child of a killed parent to unlock the folder. 10,000 by default. */
  readonly lockWaitMs?: number;
}

const LOCK_RETRY_MS = 250;
const FIRST_BACK_OFF_MS = 250;
const MAX_BACK_OFF_MS = 30_000;
/** A child that ran longer than this resets the count of failures. */
const STABLE_MS = 60_000;
/** Failures in a row after which an error is logged. */
const CRASH_LOOP = 5;

/**
 * Opens the data folder, creates it if absent, and keeps an engine running on it until `close`.
 * Throws `DataFolderLockedError` if another live process uses the folder, and a `StartupError` if folders of tables are missing.
 */
export async function startEmbeddedClickHouse(
  options: EmbeddedClickHouseOptions,
): Promise<EmbeddedClickHouse> {
  const dataDir = resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  syncPath(dirname(dataDir));
  // The child starts in this folder. Without this check, the system's error would name the child's program, not the folder.
  await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  requireWholeFolder(dataDir);
  const password = randomBytes(32).toString("base64url");
  const start = (port: number) =>
    startEngineChild({ kind: "start", dataDir, port, username: "assay", password });
  const first = await startOnceUnlocked(() => start(0), options.lockWaitMs ?? 10_000);
  return new Supervisor(first, { ...options, password, start });
}

async function startOnceUnlocked(start: () => Promise<EngineChild>, waitMs: number): Promise<EngineChild> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof DataFolderLockedError) || performance.now() > deadline) throw error;
      await delay(LOCK_RETRY_MS);
    }
  }
}

interface SupervisorDeps extends EmbeddedClickHouseOptions {
  readonly password: string;
  readonly start: (port: number) => Promise<EngineChild>;
}

class Supervisor implements EmbeddedClickHouse {
  readonly url: string;
  readonly username = "assay";
  readonly password: string;
  readonly #port: number;
  readonly #deps: SupervisorDeps;
  readonly #closing = new AbortController();
  readonly #supervision: Promise<void>;
  #child: EngineChild | null;
  #restarts = 0;

  constructor(first: EngineChild, deps: SupervisorDeps) {
    this.url = `http://127.0.0.1:${first.port}`;
    this.password = deps.password;
    this.#port = first.port;
    this.#deps = deps;
    this.#child = first;
    this.#supervision = this.#supervise(first);
  }

  get restarts(): number {
    return this.#restarts;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#child?.stop();
    await this.#supervision;
  }

  async #supervise(first: EngineChild): Promise<void> {
    const { log } = this.#deps;
    let failures = 0;
    for (let child: EngineChild | null = first; child !== null; child = await this.#restart(failures)) {
      const startedAt = performance.now();
      this.#child = child;
      log.info({ pid: child.pid, port: child.port }, "The embedded ClickHouse is ready");
      const exit = await this.#watch(child);
      this.#child = null;
      if (this.#closing.signal.aborted) return;
      failures = performance.now() - startedAt > STABLE_MS ? 0 : failures + 1;
      log.warn({ pid: child.pid, ...exit }, "The embedded ClickHouse ended and will be restarted");
    }
  }

  async #watch(child: EngineChild): Promise<object> {
    const { log, heartbeatMs = 5_000 } = this.#deps;
    const stopHeartbeat = startHeartbeat(this.url, heartbeatMs, () => {
      log.warn({ pid: child.pid }, "The embedded ClickHouse does not answer and is killed");
      child.kill();
    });
    this.#closing.signal.addEventListener("abort", stopHeartbeat); // a draining child no longer listens
    const exit = await child.exited;
    stopHeartbeat();
    this.#closing.signal.removeEventListener("abort", stopHeartbeat);
    return exit;
  }

  /** Retries until a child is ready; null when `close` came first. */
  async #restart(failuresBefore: number): Promise<EngineChild | null> {
    for (let failures = failuresBefore; ; failures += 1) {
      if (failures >= CRASH_LOOP) {
        this.#deps.log.error(
          { failures },
          "The embedded ClickHouse keeps failing; new events wait in the queue",
        );
      }
      await delay(backOffMs(failures), undefined, { signal: this.#closing.signal }).catch(() => {});
      if (this.#closing.signal.aborted) return null;
      const child = await this.#deps.start(this.#port).catch((error: unknown) => {
        this.#deps.log.warn({ err: error }, "The embedded ClickHouse could not be restarted");
        return null;
      });
      if (child === null) continue;
      this.#restarts += 1;
      if (!this.#closing.signal.aborted) return child;
      await child.stop();
      return null;
    }
  }
}

/** The first restart is immediate. After that, the pause doubles with each failure. */
function backOffMs(failures: number): number {
  return failures <= 1 ? 0 : Math.min(MAX_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (failures - 2));
}
