import { AssignRequest, ingest } from "@assay/contract";
import { assignAt, DomainError } from "@assay/domain";
import type { FastifyInstance } from "fastify";
import type { Static } from "typebox";
import type { OrgSnapshot } from "../../config/snapshots.ts";
import type { Deps } from "../../deps.ts";
import { parseJson } from "../../http/raw-request.ts";
import { sendWire } from "../../http/send-wire.ts";
import { compileCheck, rejectBody } from "../../http/validate.ts";
import { whenReady } from "../../http/when-ready.ts";
import { admit, holderOf, readChargedBody } from "./admit.ts";

const check = compileCheck(AssignRequest);
/** A user and an experiment: many times what their ids can take. */
const MAX_BODY_BYTES = 64 * 1024;

/** Resolves a user to a variant. Asks the database only when a bucket is claimed for the first time. */
export function registerAssign(plane: FastifyInstance, deps: Deps): void {
  plane.post(
    ingest.postAssign.path,
    { onRequest: admit(ingest.postAssign, "assign", deps), bodyLimit: MAX_BODY_BYTES },
    (request, reply) => {
      const answer = ({ variant, configVersion }: Assignment) => {
        const body = { variant, config_version: configVersion };
        return sendWire<typeof ingest.postAssign>(reply, { status: 200, body });
      };
      const assign = (bytes: Buffer) => {
        const body = parseJson(bytes);
        rejectBody(check(body));
        return whenReady(
          assignSticky(holderOf(request).orgId, body as Static<typeof AssignRequest>, deps),
          answer,
        );
      };
      return whenReady(readChargedBody(request, deps, MAX_BODY_BYTES), assign);
    },
  );
}

type Assignment = { readonly variant: string | null; readonly configVersion: number };

type AssignDeps = Pick<Deps, "snapshots" | "claims" | "clock">;

/**
 * Assigns a user. It answers at once if the snapshot is loaded and no bucket has to be claimed. If a new version claims the bucket first,
 * the stale snapshot is dropped and the new version decides.
 */
export function assignSticky(
  orgId: string,
  asked: Static<typeof AssignRequest>,
  deps: AssignDeps,
): Assignment | Promise<Assignment> {
  const snapshot = deps.snapshots.peek(orgId);
  if (snapshot === undefined)
    return deps.snapshots.get(orgId).then((loaded) => assignIn(loaded, asked, deps));
  return assignIn(snapshot, asked, deps);
}

function assignIn(
  snapshot: OrgSnapshot,
  asked: Static<typeof AssignRequest>,
  deps: AssignDeps,
): Assignment | Promise<Assignment> {
  const { orgId, configVersion } = snapshot;
  const entry = snapshot.experiments.get(asked.experiment_id);
  if (entry === undefined) return assignInNewer(snapshot, asked, deps);
  const { variant, reason } = assignAt(entry.timeline, asked.user_id, deps.clock.now());
  const assignment = { variant, configVersion };
  // The user's variant does not come from an arm's bucket, so there is nothing to keep.
  if (reason !== null || deps.claims.isSettled(entry, asked.user_id)) return assignment;
  const claimed = deps.claims.claim(entry, [asked.user_id]);
  return claimed.then((isHeld) => (isHeld ? assignment : assignSticky(orgId, asked, deps)));
}

async function assignInNewer(
  snapshot: OrgSnapshot,
  asked: Static<typeof AssignRequest>,
  deps: AssignDeps,
): Promise<Assignment> {
  if ((await deps.snapshots.findNewer(snapshot)) !== null) return assignSticky(snapshot.orgId, asked, deps);
  throw new DomainError(
    "experiment-not-found",
    "No experiment with this id or name exists in this organization.",
  );
}
