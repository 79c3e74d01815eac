import { ofrep, TargetingKey } from "@assay/contract";
import {
  type Assignment,
  DomainError,
  type KeyScope,
  type Subject,
  subjectOf,
  unitMissing,
} from "@assay/domain";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { etagsOf, type SnapshotExperiment } from "../../config/snapshots.ts";
import type { Deps } from "../../deps.ts";
import { fastifyPath } from "../../http/define-route.ts";
import { parseJson } from "../../http/raw-request.ts";
import { JSON_CONTENT, sendWire } from "../../http/send-wire.ts";
import { compileCheck } from "../../http/validate.ts";
import { admit, holderOf, readChargedBody } from "./admit.ts";
import { assignSubject } from "./assign.ts";
import { matches } from "./config.ts";
import { type Evaluation, evaluateFlag, findFlag, listFlags } from "./flags.ts";

const MAX_BODY_BYTES = 64 * 1024;

const checkUser = compileCheck(TargetingKey);

/** Serves experiments as flags over OpenFeature's protocol, with the assignments of `POST /v1/assign`. */
export function registerOfrep(plane: FastifyInstance, deps: Deps): void {
  answerFaults(plane);
  registerOne(plane, deps);
  registerAll(plane, deps);
}

function registerOne(plane: FastifyInstance, deps: Deps): void {
  plane.post(
    fastifyPath(ofrep.postFlag),
    { onRequest: admit(ofrep.postFlag, "assign", deps), bodyLimit: MAX_BODY_BYTES },
    async (request, reply) => {
      const body = parseJson(await readChargedBody(request, deps, MAX_BODY_BYTES));
      const { key } = request.params as { readonly key: string };
      const evaluated = await evaluateOne(holderOf(request), { key, body }, deps);
      if (evaluated !== null) return sendWire<typeof ofrep.postFlag>(reply, { status: 200, body: evaluated });
      const errorDetails =
        "No experiment with this id or name exists in this organization, it is a draft, or another system's flag assigns its variants.";
      const failure = { key, errorCode: "FLAG_NOT_FOUND", errorDetails } as const;
      return sendWire<typeof ofrep.postFlag>(reply, { status: 404, body: failure });
    },
  );
}

function registerAll(plane: FastifyInstance, deps: Deps): void {
  plane.post(
    ofrep.postFlags.path,
    { onRequest: admit(ofrep.postFlags, "config", deps), bodyLimit: MAX_BODY_BYTES },
    async (request, reply) => {
      const context = contextOf(parseJson(await readChargedBody(request, deps, MAX_BODY_BYTES)));
      const text = JSON.stringify({ flags: await evaluateAll(holderOf(request), context, deps) });
      const etags = etagsOf(text);
      reply.header("etag", etags.plain);
      if (matches(request.headers["if-none-match"], etags)) return reply.code(304).send();
      return reply.headers(JSON_CONTENT).send(text);
    },
  );
}

interface Asker {
  readonly orgId: string;
  readonly scope: KeyScope;
}

interface Asked {
  readonly key: string;
  readonly body: unknown;
}

/** Evaluates one flag; null when there is no such flag. */
async function evaluateOne(asker: Asker, { key, body }: Asked, deps: Deps): Promise<Evaluation | null> {
  const snapshot = await deps.snapshots.get(asker.orgId);
  const flag = findFlag(snapshot.configs[asker.scope], key);
  const entry = flag && snapshot.experiments.get(flag.experiment.id);
  if (!entry) {
    if ((await deps.snapshots.findNewer(snapshot)) === null) return null;
    return evaluateOne(asker, { key, body }, deps);
  }
  const subject = subjectIn(entry, contextOf(body));
  if (subject === null)
    throw new FlagFault(
      "INVALID_CONTEXT",
      `${unitMissing(entry.timeline.unit)} Send it as an attribute of the context.`,
    );
  const assignment = await assignSubject(entry, subject, deps);
  return assignment === null ? evaluateOne(asker, { key, body }, deps) : evaluateFlag(flag, assignment);
}

/** Evaluates the flags of every experiment that clients know and whose unit the context names. */
async function evaluateAll(asker: Asker, context: Context, deps: Deps): Promise<readonly Evaluation[]> {
  const snapshot = await deps.snapshots.get(asker.orgId);
  const flags = listFlags(snapshot.configs[asker.scope]);
  const assignments = new Map<string, Assignment | null>();
  await Promise.all(
    [...new Set(flags.map(({ experiment }) => experiment.id))].map(async (id) => {
      const entry = snapshot.experiments.get(id);
      const subject = entry && subjectIn(entry, context);
      if (entry && subject) assignments.set(id, await assignSubject(entry, subject, deps));
    }),
  );
  if ([...assignments.values()].includes(null)) return evaluateAll(asker, context, deps);
  return flags.flatMap((flag) => {
    const assignment = assignments.get(flag.experiment.id);
    return assignment ? [evaluateFlag(flag, assignment)] : [];
  });
}

/** Why a request cannot be evaluated. */
class FlagFault extends Error {
  readonly errorCode: "TARGETING_KEY_MISSING" | "INVALID_CONTEXT" | "PARSE_ERROR";

  constructor(errorCode: FlagFault["errorCode"], details: string) {
    super(details);
    this.errorCode = errorCode;
  }
}

/** What an evaluation request says about the user. */
interface Context {
  readonly targetingKey: string;
  readonly unit_id?: unknown;
  readonly conversation_id?: unknown;
  readonly run_id?: unknown;
}

/** The unit that a context names for an experiment; null if it names none. */
function subjectIn({ timeline: { unit } }: SnapshotExperiment, context: Context): Subject | null {
  const own = unit === "user" ? null : context[`${unit}_id`];
  const subject = subjectOf(unit, context.targetingKey, context.unit_id ?? own);
  if (subject !== null && checkUser(subject.unitId).length > 0)
    throw new FlagFault("INVALID_CONTEXT", "unit_id must be a string of at most 256 characters.");
  return subject;
}

/** Reads the context of an evaluation, which names the user. Throws `FlagFault`. */
function contextOf(body: unknown): Context {
  if (!isObject(body))
    throw new FlagFault("PARSE_ERROR", 'The body must be {"context": {"targetingKey": …}}.');
  const { context = {} } = body;
  if (!isObject(context)) throw new FlagFault("INVALID_CONTEXT", "The context must be an object.");
  const { targetingKey } = context;
  if (targetingKey === undefined || targetingKey === null || targetingKey === "")
    throw new FlagFault("TARGETING_KEY_MISSING", "The context needs a targetingKey: the user's id.");
  if (checkUser(targetingKey).length > 0)
    throw new FlagFault("INVALID_CONTEXT", "targetingKey must be a string of at most 256 characters.");
  return context as unknown as Context;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Answers faults in the body as the protocol requires. Everything else is a problem, as on other routes. */
function answerFaults(plane: FastifyInstance): void {
  plane.setErrorHandler((error, request: FastifyRequest, reply) => {
    const { key } = request.params as { readonly key?: string };
    const answer = (errorCode: FlagFault["errorCode"], errorDetails: string) =>
      reply
        .code(400)
        .headers(JSON_CONTENT)
        .send(JSON.stringify({ ...(key !== undefined && { key }), errorCode, errorDetails }));
    if (error instanceof FlagFault) return answer(error.errorCode, error.message);
    if (error instanceof DomainError && error.kind === "invalid-body")
      return answer("PARSE_ERROR", error.message);
    throw error;
  });
}
