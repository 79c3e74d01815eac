import { users as operations, userEventAnswer } from "@assay/contract";
import {
  DAY_MS,
  type Erasure,
  type Judgement,
  type Page,
  type UserEvent,
  type UserPlace,
} from "@assay/domain";
import { auditEntry } from "../../audit-entry.ts";
import type { Deps } from "../../deps.ts";
import { defineRoute } from "../../http/define-route.ts";
import { pairAnswer } from "../../rehearsals/pair-answer.ts";
import { userFingerprint } from "../../user-fingerprint.ts";

/** Events read at once. Each may have half a MiB of text. */
const PAGE = 50;

export const listUserEvents = defineRoute(operations.listUserEvents, async ({ params, caller }, deps) => {
  const user = { orgId: caller.orgId, userId: params.userId };
  const entry = {
    action: "user.export",
    targetType: "user",
    targetId: userFingerprint(user, deps.sealer),
    summary: "Exported all data stored about a user.",
  };
  await deps.control.audit.record(auditEntry(caller, entry, deps));
  return readUser(user, deps);
});

export const eraseUser = defineRoute(operations.eraseUser, async ({ params, caller }, deps) => {
  const user = { orgId: caller.orgId, userId: params.userId };
  const fingerprint = userFingerprint(user, deps.sealer);
  const requestedAt = deps.clock.now();
  const entry = {
    action: "user.erase",
    targetType: "user",
    targetId: fingerprint,
    summary: "Requested the erasure of a user.",
  };
  await deps.control.transaction(async ({ erasures, waitingTraces, audit }) => {
    await erasures.put({ ...user, requestedAt });
    // At once, because waiting traces would become events that seem to come after the request.
    await waitingTraces.eraseUsers([{ ...user, requestedAt }]);
    await audit.record(auditEntry(caller, entry, deps));
  });
  return { requestedAt, dueAt: requestedAt + DAY_MS, fingerprint, detail: DETAIL };
});

const DETAIL =
  "All data received about the user until now will be removed: events with their texts, judgements and labels, including events that are " +
  "still queued. The audit log shows when this is done. Stored runs and counts stay, because they identify nobody. Data that is sent from " +
  "now on is new and is stored.";

type User = Pick<Erasure, "orgId" | "userId">;
type Stores = Pick<Deps, "control" | "events">;

/** Reads page by page, because a user's events may not fit into memory. */
async function* readUser(user: User, deps: Stores) {
  let cursor: string | null = null;
  do {
    const query = { ...user, limit: PAGE, ...(cursor !== null && { cursor }) };
    const page: Page<UserEvent> = await deps.events.listUserEvents(query);
    const judgements = await judgementsOf(page.items, deps);
    for (const event of page.items) yield userEventAnswer(event, judgements.get(event) ?? []);
    cursor = page.nextCursor;
  } while (cursor !== null);
  yield* readRehearsed(user, deps);
}

/** The user's inputs in rehearsals, with the answers to them. */
async function* readRehearsed(user: User, deps: Stores) {
  const { rehearsals } = deps.control;
  const { orgId } = user;
  for (let after: UserPlace | null = null; ; ) {
    const places: readonly UserPlace[] = await rehearsals.listUserPlaces(user, { after, limit: PAGE });
    for (const [rehearsalId, own] of Map.groupBy(places, (place) => place.rehearsalId)) {
      const rehearsal = await rehearsals.find(orgId, rehearsalId);
      if (rehearsal === null) continue;
      const picks = Map.groupBy(await rehearsals.listPicks(orgId, rehearsalId), (pick) => pick.place);
      for (const { place } of own) {
        const pair = await rehearsals.findPair(orgId, rehearsalId, place);
        if (pair === null) continue;
        yield {
          rehearsalId,
          rehearsed: await pairAnswer(rehearsal, pair, deps),
          picks: (picks.get(place) ?? []).map((pick) => ({
            ...pick,
            treatment: rehearsal.plan.arms[pick.arm]?.name ?? "",
          })),
        };
      }
    }
    const last = places.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

async function judgementsOf(
  events: readonly UserEvent[],
  { control }: Stores,
): Promise<ReadonlyMap<UserEvent, readonly Judgement[]>> {
  const found = new Map<UserEvent, readonly Judgement[]>();
  for (const [experimentId, ofExperiment] of Map.groupBy(events, (event) => event.experimentId)) {
    const [{ orgId }] = ofExperiment as [UserEvent];
    const ids = ofExperiment.map(({ eventId }) => eventId);
    const judgements = await control.judgements.listOfEvents(orgId, experimentId, ids);
    for (const event of ofExperiment)
      found.set(
        event,
        judgements.filter(({ eventId }) => eventId === event.eventId),
      );
  }
  return found;
}
