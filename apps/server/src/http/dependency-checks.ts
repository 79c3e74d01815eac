import { setTimeout as sleep } from "node:timers/promises";
import { DomainError } from "@assay/domain";
import type { Deps } from "../deps.ts";

export interface DependencyCheck {
  readonly name: "control_plane" | "event_store";
  readonly latencyMs: number;
  /** Why it counts as down, in plain words; null when it answers. */
  readonly fault: string | null;
}

type CheckDeps = Pick<Deps, "log"> & {
  readonly control: Pick<Deps["control"], "ping">;
  readonly events: Pick<Deps["events"], "ping">;
};

/** Asks every engine behind the service for a sign of life. An engine that hangs must not hang who asks: two seconds at most. */
export function checkDependencies(deps: CheckDeps): Promise<readonly DependencyCheck[]> {
  const { control, events } = deps;
  return Promise.all([
    check("control_plane", () => control.ping(), deps),
    check("event_store", () => events.ping(), deps),
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

function withinDeadline(ping: Promise<void>): Promise<void> {
  return Promise.race([
    ping,
    sleep(DEADLINE_MS, undefined, { ref: false }).then(() => {
      throw new DomainError("storage-unavailable", `No answer within ${DEADLINE_MS / 1000} s.`);
    }),
  ]);
}
