import { AssignRequest, ingest } from "@assay/contract";
import {
  type Assignment,
  assignAt,
  DomainError,
  invalidBody,
  JSON_LIMITS,
  type JsonLimits,
  type Subject,
  subjectOf,
  unitMissing,
} from "@assay/domain";
import type { FastifyInstance } from "fastify";
import type { Static } from "typebox";
import type { OrgSnapshot, SnapshotExperiment } from "../../config/snapshots.ts";
import type { Deps } from "../../deps.ts";
import { type DirectAnswer, type DirectRoute, directJson } from "../../http/direct-answers.ts";
import { parseJson } from "../../http/raw-request.ts";
import { sendWire } from "../../http/send-wire.ts";
import { compileCheck, rejectBody } from "../../http/validate.ts";
import { whenReady } from "../../http/when-ready.ts";
import { admit, directEntry, holderOf, readChargedBody } from "./admit.ts";

const check = compileCheck(AssignRequest);
/** The body names a user and an experiment. This is many times the length of their ids. */
const MAX_BODY_BYTES = 64 * 1024;
/** Far more values than the body has fields. Thousands of unknown fields would take longer to refuse than hundreds of users to assign. */
const BODY_LIMITS: JsonLimits = { ...JSON_LIMITS, values: 100 };

/** Resolves a user to a variant. Queries the database only to claim a bucket for the first time. */
export function registerAssign(plane: FastifyInstance, deps: Deps): void {
  plane.post(
    ingest.postAssign.path,
    { onRequest: admit(ingest.postAssign, "assign", deps), bodyLimit: MAX_BODY_BYTES },
    (request, reply) => {
      const answer = (assigned: Assigned) =>
        sendWire<typeof ingest.postAssign>(reply, { status: 200, body: wireOf(assigned) });
      const assign = (bytes: Buffer) => {
        const body = parseJson(bytes, BODY_LIMITS);
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

/** Answers a request of the usual form if nothing must be read or claimed for it. */
export function directAssign(deps: Deps): DirectRoute {
  const entry = directEntry(ingest.postAssign, "assign", deps);
  return {
    method: "POST",
    path: ingest.postAssign.path,
    answer(headers, body) {
      if (headers["content-type"] !== "application/json" || headers["content-encoding"] !== undefined)
        return null;
      const holder = body.length > MAX_BODY_BYTES ? null : entry.find(headers);
      if (holder === null) return null;
      const asked = parseJson(body, BODY_LIMITS);
      if (check(asked).length > 0) return null;
      const answer = answerAtOnce(holder.orgId, asked as Static<typeof AssignRequest>, deps);
      if (answer !== null) entry.take(holder, body.length, 0);
      return answer;
    },
  };
}

/** The answers of a snapshot by variant. There are few, and a lookup costs less than writing one. */
const answersOf = new WeakMap<OrgSnapshot, Map<string | null, DirectAnswer>>();

function directAnswerOf(snapshot: OrgSnapshot, variant: string | null): DirectAnswer {
  let answers = answersOf.get(snapshot);
  if (answers === undefined) {
    answers = new Map();
    answersOf.set(snapshot, answers);
  }
  const known = answers.get(variant);
  if (known !== undefined) return known;
  const answer = directJson(200, wireOf({ variant, configVersion: snapshot.configVersion }));
  answers.set(variant, answer);
  return answer;
}

interface Assigned {
  readonly variant: string | null;
  readonly configVersion: number;
}

const wireOf = ({ variant, configVersion }: Assigned) => ({ variant, config_version: configVersion });

type AssignDeps = Pick<Deps, "snapshots" | "claims" | "clock">;

/**
 * Assigns a user. It answers at once if the snapshot is loaded and no bucket must be claimed. If a new version claims
 * the bucket first, it drops the stale snapshot and the new version decides.
 */
export function assignSticky(
  orgId: string,
  asked: Static<typeof AssignRequest>,
  deps: AssignDeps,
): Assigned | Promise<Assigned> {
  const snapshot = deps.snapshots.peek(orgId);
  if (snapshot === undefined)
    return deps.snapshots.get(orgId).then((loaded) => assignIn(loaded, asked, deps));
  return assignIn(snapshot, asked, deps);
}

function assignIn(
  snapshot: OrgSnapshot,
  asked: Static<typeof AssignRequest>,
  deps: AssignDeps,
): Assigned | Promise<Assigned> {
  const { orgId, configVersion } = snapshot;
  const entry = snapshot.experiments.get(asked.experiment_id);
  if (entry === undefined) return assignInNewer(snapshot, asked, deps);
  return whenReady(assignSubject(entry, subjectIn(entry, asked), deps), (assignment) =>
    assignment === null ? assignSticky(orgId, asked, deps) : { variant: assignment.variant, configVersion },
  );
}

/** Assigns a unit if the snapshot is loaded, has the experiment, and no bucket must be claimed. Otherwise null. */
function answerAtOnce(
  orgId: string,
  asked: Static<typeof AssignRequest>,
  deps: AssignDeps,
): DirectAnswer | null {
  const snapshot = deps.snapshots.peek(orgId);
  const entry = snapshot?.experiments.get(asked.experiment_id);
  if (snapshot === undefined || entry === undefined) return null;
  const subject = subjectOf(entry.timeline.unit, asked.user_id, asked.unit_id);
  if (subject === null) return null;
  const { assignment, isSettled } = assignUnclaimed(entry, subject, deps);
  return isSettled ? directAnswerOf(snapshot, assignment.variant) : null;
}

/**
 * Assigns a unit in a loaded experiment, and claims the bucket if necessary. Null if the claim failed: the snapshot was
 * stale and has been dropped.
 */
export function assignSubject(
  entry: SnapshotExperiment,
  subject: Subject,
  deps: AssignDeps,
): Assignment | Promise<Assignment | null> {
  const { assignment, isSettled } = assignUnclaimed(entry, subject, deps);
  if (isSettled) return assignment;
  return deps.claims.claim(entry, [subject.unitId]).then((isHeld) => (isHeld ? assignment : null));
}

/** The unit that the request names. Throws `invalid-body` if it names none. */
function subjectIn({ timeline }: SnapshotExperiment, asked: Static<typeof AssignRequest>): Subject {
  const subject = subjectOf(timeline.unit, asked.user_id, asked.unit_id);
  if (subject !== null) return subject;
  throw invalidBody([{ pointer: "/unit_id", detail: unitMissing(timeline.unit) }]);
}

/** The unit's assignment, and whether it is final without claiming a bucket. */
function assignUnclaimed(entry: SnapshotExperiment, subject: Subject, deps: AssignDeps) {
  const assignment = assignAt(entry.timeline, subject, deps.clock.now());
  // With a reason, the variant does not come from an arm's bucket, so there is no bucket to claim.
  const isSettled = assignment.reason !== null || deps.claims.isSettled(entry, subject);
  return { assignment, isSettled };
}

async function assignInNewer(
  snapshot: OrgSnapshot,
  asked: Static<typeof AssignRequest>,
  deps: AssignDeps,
): Promise<Assigned> {
  if ((await deps.snapshots.findNewer(snapshot)) !== null) return assignSticky(snapshot.orgId, asked, deps);
  throw new DomainError(
    "experiment-not-found",
    "No experiment with this id or name exists in this organization.",
  );
}
