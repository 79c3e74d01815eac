import { setTimeout as sleep } from "node:timers/promises";
import { type ControlPlane, DomainError, type EventStore, type IngestQueue } from "@assay/domain";
import type { Logger } from "pino";
import type { RoleSetting } from "../settings.ts";

type DependencyName = "control_plane" | "event_store" | "queue";

export interface DependencyCheck {
  readonly name: DependencyName;
  readonly latencyMs: number;
  /** Why it counts as down, in plain words; null when it answers. */
  readonly fault: string | null;
}

interface CheckDeps {
  readonly log: Pick<Logger, "warn">;
  readonly control: Pick<ControlPlane, "ping">;
  readonly events: Pick<EventStore, "ping">;
  readonly queue: Pick<IngestQueue, "ping">;
}

/**
 * What a process cannot do its work without. Who takes events needs the queue alone: what is asked most is answered from memory,
 * and a balancer that turned away from every process while an engine is down would take the rest of the service along.
 */
const REQUIRED: Readonly<Record<RoleSetting, readonly DependencyName[]>> = {
  all: ["queue"],
  api: ["queue"],
  worker: ["control_plane", "event_store", "queue"],
};

/** Tells whether a process of this role can do its work only when the engine answers. */
export function isRequired(name: DependencyName, role: RoleSetting): boolean {
  return REQUIRED[role].includes(name);
}

/** Asks every engine behind the service for a sign of life. An engine that hangs must not hang who asks: two seconds at most. */
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
      // Any other text may tell of hosts and users.
      return error instanceof DomainError ? error.message : "It failed; the log says how.";
    },
  );
  return { name, latencyMs: Math.round(10 * (performance.now() - startedAt)) / 10, fault };
}

/** Waits for an engine's answer two seconds at most; then it throws `storage-unavailable`. */
export function withinDeadline<T>(answer: Promise<T>): Promise<T> {
  return Promise.race([
    answer,
    sleep(DEADLINE_MS, undefined, { ref: false }).then(() => {
      throw new DomainError("storage-unavailable", `No answer within ${DEADLINE_MS / 1000} s.`);
    }),
  ]);
}
