import { type Erasure, eraseRows } from "@assay/domain";
import { auditEntry, SYSTEM } from "../audit-entry.ts";
import type { Deps } from "../deps.ts";
import { userFingerprint } from "../user-fingerprint.ts";
import { waitForDrain } from "./wait-for-drain.ts";

type ErasureDeps = Pick<
  Deps,
  "control" | "events" | "queue" | "sealer" | "clock" | "newId" | "log" | "stopping" | "snapshots"
>;

/** Held while dead letters are replayed or rewritten. A replay in between could return rows to the queue unnoticed. */
export const DEAD_LETTERS_LOCK = "dead-letters";

/** Each pass may rewrite parts of the logs, so requests that arrive in between share the next one. */
const PASS_INTERVAL_MS = 3_600_000;
/** A batch accepted just before the request, or a call drawn from events stored by then, may still be in progress for a while. */
const SETTLE_MS = 30 * 60_000;
const DRAIN_MS = 30_000;

/**
 * Makes the task that applies open erasures: at once, and then every hour until a pass finds nothing more of a user.
 * Only then is a request complete, so anything that a crash, a backlog or a replay brings back is removed again. A
 * failed pass is retried the next time the task runs.
 */
export function erasureTask(deps: ErasureDeps): () => Promise<void> {
  let passedAt: number | null = null;
  return async () => {
    const now = deps.clock.now();
    // A pass in the future was recorded by a clock that has been set back since.
    if (passedAt !== null && now >= passedAt && now - passedAt < PASS_INTERVAL_MS) return;
    const open = await deps.control.erasures.list();
    if (open.length === 0) return;
    await pass(open, now, deps);
    passedAt = now;
  };
}

/** Applies young requests apart from older ones, which would otherwise never be complete while new ones arrive. */
async function pass(open: readonly Erasure[], now: number, deps: ErasureDeps): Promise<void> {
  const { young = [], old = [] } = Object.groupBy(open, ({ requestedAt }) =>
    now - requestedAt < SETTLE_MS ? "young" : "old",
  );
  const erasingLetters = deps.control.withLock(DEAD_LETTERS_LOCK, async () => {
    const isDrained = await waitForDrain(DRAIN_MS, deps, deps.stopping);
    return { isDrained, ofOld: await eraseLetters(old, deps), ofYoung: await eraseLetters(young, deps) };
  });
  // If letters cannot be rewritten, for example without room for another one, everything else is still erased.
  await Promise.allSettled([erasingLetters]);
  const rows = { ofOld: await eraseStored(old, deps), ofYoung: await eraseStored(young, deps) };
  const letters = await erasingLetters;
  const isComplete = letters.isDrained && letters.ofOld + rows.ofOld === 0;
  if (isComplete) for (const erasure of old) await complete(erasure, deps);
  deps.log.info(
    {
      users: open.length,
      completed: isComplete ? old.length : 0,
      rows: rows.ofOld + rows.ofYoung,
      deadLetters: letters.ofOld + letters.ofYoung,
    },
    "erased users",
  );
}

/** `erasures`: oldest first. */
async function eraseLetters(erasures: readonly Erasure[], { queue }: ErasureDeps): Promise<number> {
  if (erasures.length === 0) return 0;
  const requests = new Map(erasures.map((erasure) => [keyOf(erasure), erasure.requestedAt]));
  const latest = new Map(erasures.map(({ orgId, requestedAt }) => [orgId, requestedAt]));
  return queue.rewriteBuried(({ orgId, receivedAt }, body) => {
    if (receivedAt > (latest.get(orgId) ?? -1)) return null;
    const isErased = (userId: string) => receivedAt <= (requests.get(keyOf({ orgId, userId })) ?? -1);
    return eraseRows(body, isErased);
  });
}

/**
 * Waiting traces first, because they become events. Then judgements: a judge that is asked meanwhile finds its call gone. Exclusions and
 * QA users last: events that one of them sets aside must not come back before they are removed.
 */
async function eraseStored(erasures: readonly Erasure[], deps: ErasureDeps): Promise<number> {
  const { control, events } = deps;
  if (erasures.length === 0) return 0;
  const traces = await control.waitingTraces.eraseUsers(erasures);
  const judgements = await control.judgements.eraseUsers(erasures);
  const inputs = await control.datasets.eraseUsers(erasures);
  const picks = await control.picks.eraseUsers(erasures);
  const rehearsed = await control.rehearsals.eraseUsers(erasures);
  const rows = await events.eraseUsers(erasures);
  const excluded = await control.exclusions.eraseUsers(erasures);
  return (
    traces + judgements + inputs + picks + rehearsed + rows + excluded + (await eraseQaUsers(erasures, deps))
  );
}

async function eraseQaUsers(
  erasures: readonly Erasure[],
  { control, snapshots }: Pick<ErasureDeps, "control" | "snapshots">,
): Promise<number> {
  let changed = 0;
  for (const [orgId, own] of Map.groupBy(erasures, (erasure) => erasure.orgId)) {
    const userIds = own.map(({ userId }) => userId);
    const versions = await control.transaction(async ({ orgs, experiments }) => {
      await orgs.lock(orgId);
      const count = await experiments.eraseQaUsers(orgId, userIds);
      if (count > 0) await orgs.bumpConfigVersion(orgId);
      return count;
    });
    if (versions > 0) snapshots.invalidate(orgId);
    changed += versions;
  }
  return changed;
}

const keyOf = ({ orgId, userId }: Pick<Erasure, "orgId" | "userId">): string => `${orgId} ${userId}`;

async function complete(erasure: Erasure, deps: ErasureDeps): Promise<void> {
  const entry = {
    action: "user.erased",
    targetType: "user",
    targetId: userFingerprint(erasure, deps.sealer),
    summary: "Erased a user: nothing that was received before the request is stored any more.",
  };
  await deps.control.transaction(async ({ erasures, audit }) => {
    if (await erasures.remove(erasure))
      await audit.record(auditEntry({ ...SYSTEM, orgId: erasure.orgId }, entry, deps));
  });
}
