import { AssignRequest, ingest } from "@assay/contract";
import { assignAt, DomainError } from "@assay/domain";
import type { FastifyInstance } from "fastify";
import type { Static } from "typebox";
import type { Deps } from "../../deps.ts";
import { parseJson } from "../../http/raw-request.ts";
import { sendWire } from "../../http/send-wire.ts";
import { compileCheck, rejectBody } from "../../http/validate.ts";
import { admit, holderOf, readChargedBody } from "./admit.ts";

const check = compileCheck(AssignRequest);
/** A user and an experiment: many times what their ids can take. */
const MAX_BODY_BYTES = 64 * 1024;

/** Resolves a user to a variant. Asks the database only when a bucket is claimed for the first time. */
export function registerAssign(plane: FastifyInstance, deps: Deps): void {
  plane.post(
    ingest.postAssign.path,
    { onRequest: admit(ingest.postAssign, "assign", deps), bodyLimit: MAX_BODY_BYTES },
    async (request, reply) => {
      const { orgId } = holderOf(request);
      const body = parseJson(await readChargedBody(request, deps, MAX_BODY_BYTES));
      rejectBody(check(body));
      const { variant, configVersion } = await assignSticky(
        orgId,
        body as Static<typeof AssignRequest>,
        deps,
      );
      const answer = { variant, config_version: configVersion };
      return sendWire<typeof ingest.postAssign>(reply, { status: 200, body: answer });
    },
  );
}

type Assignment = { readonly variant: string | null; readonly configVersion: number };

/** Assigns a user. If a new version claims the bucket first, the stale snapshot is dropped and the new version decides. */
export async function assignSticky(
  orgId: string,
  asked: Static<typeof AssignRequest>,
  deps: Pick<Deps, "snapshots" | "claims" | "clock">,
): Promise<Assignment> {
  const snapshot = deps.snapshots.peek(orgId) ?? (await deps.snapshots.get(orgId));
  const entry = snapshot.experiments.get(asked.experiment_id);
  if (!entry) {
    if ((await deps.snapshots.findNewer(snapshot)) !== null) return assignSticky(orgId, asked, deps);
    throw new DomainError(
      "experiment-not-found",
      "No experiment with this id or name exists in this organization.",
    );
  }
  const { configVersion } = snapshot;
  const { variant, reason } = assignAt(entry.timeline, asked.user_id, deps.clock.now());
  // What the user gets is no bucket of an arm: nothing to keep.
  if (reason !== null || deps.claims.isSettled(entry, asked.user_id)) return { variant, configVersion };
  if (await deps.claims.claim(entry, [asked.user_id])) return { variant, configVersion };
  return assignSticky(orgId, asked, deps);
}
