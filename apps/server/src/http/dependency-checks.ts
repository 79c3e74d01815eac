import { setTimeout as sleep } from "node:timers/promises";
import { type ControlPlane, DomainError, type EventStore, type IngestQueue } from "@assay/domain";
import type { Logger } from "pino";
import type { RoleSetting } from "../settings.ts";

type DependencyName = "control_plane" | "event_store" | "queue";

export interface DependencyCheck {
  readonly name: DependencyName;
  readonly latencyMs: number;
  /** Why it counts as down, in plain words. Null when it answers. */
  readonly fault: string | null;
}

interface CheckDeps {
  readonly log: Pick<Logger, "warn">;
  readonly control: Pick<ControlPlane, "ping">;
  readonly events: Pick<EventStore, "ping">;
  readonly queue: Pick<IngestQueue, "ping">;
}

/**
 * The engines that a process needs. Accepting events needs only the queue, and the hot paths answer from memory. If
 * readiness depended on every engine, a load balancer would take the whole service out when one is down.
 */
const REQUIRED: Readonly<Record<RoleSetting, readonly DependencyName[]>> = {
  all: ["queue"],
  api: ["queue"],
  worker: ["control_plane", "event_store", "queue"],
};

/** Returns whether a process of this role needs the engine to do its work. */
export function isRequired(name: DependencyName, role: RoleSetting): boolean {
  return REQUIRED[role].includes(name);
}

/** Pings every engine. One that hangs counts as down after two seconds. */
export function checkDependencies(deps: CheckDeps): Promise<readonly DependencyCheck[]> {
  const { control, events, queue } = deps;
  return Promise.all([
    check("control_plane", () => control.ping(), deps),
    check("event_store", () => events.ping(), deps),
    check("queue", () => queue.ping(), deps),
  ]);
}

const DEADLINE_MS = 2_000;

async function check(
  name: DependencyCheck["name"],
  ping: () => Promise<void>,
  { log }: CheckDeps,
): Promise<DependencyCheck> {
  const startedAt = performance.now();
  const fault = await withinDeadline(ping()).then(
    () => null,
    (error: unknown) => {
      log.warn({ err: error, dependency: name }, "a dependency does not answer");
      // The text of other errors may name hosts and users.
      return error instanceof DomainError ? error.message : "It failed: see the log.";
    },
  );
  return { name, latencyMs: Math.round(10 * (performance.now() - startedAt)) / 10, fault };
}

/** Waits at most two seconds for an engine's answer, then throws `storage-unavailable`. */
export function withinDeadline<T>(answer: Promise<T>): Promise<T> {
  return Promise.race([
    answer,
    sleep(DEADLINE_MS, undefined, { ref: false }).then(() => {
      throw new DomainError("storage-unavailable", `No answer within ${DEADLINE_MS / 1000} s.`);
    }),
  ]);
}
