import type { IncomingHttpHeaders } from "node:http";
import { ConfigQuery, ingest, MAX_CONFIG_NAMES } from "@assay/contract";
import { DomainError } from "@assay/domain";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Static } from "typebox";
import {
  compress,
  type Etags,
  etagsOf,
  type OrgSnapshot,
  type ServedConfig,
} from "../../config/snapshots.ts";
import type { Deps } from "../../deps.ts";
import type { DirectAnswer, DirectRoute } from "../../http/direct-answers.ts";
import { EVERY_ANSWER } from "../../http/security-headers.ts";
import { JSON_CONTENT } from "../../http/send-wire.ts";
import { coerceIntegers, compileCheck, rejectQuery, rejectRepeated } from "../../http/validate.ts";
import { whenReady } from "../../http/when-ready.ts";
import { admit, directEntry, holderOf } from "./admit.ts";

/** A config, or its requested part. */
interface Representation {
  readonly etags: Etags;
  body(): Buffer | string;
  gzipped(): Buffer | Promise<Buffer>;
}

/** Everything that the answer depends on besides its address. */
const VARY = "Accept-Encoding, Origin, X-API-Key";

const checkQuery = compileCheck(ConfigQuery);

/** Serves the org's config from memory, limited to what the key may read, plain or compressed, each with its own ETag. */
export function registerConfig(plane: FastifyInstance, deps: Deps): void {
  plane.get(
    ingest.getConfig.path,
    { onRequest: admit(ingest.getConfig, "config", deps) },
    (request, reply) => {
      const { names, waitMs } = askedOf(request.query);
      const { orgId, scope } = holderOf(request);
      const find = () =>
        whenReady(servableSnapshot(orgId, names, deps), (snapshot) => {
          const served = snapshot.configs[scope];
          return names === null ? wholeOf(served) : narrowed(served, idsOf(snapshot, names));
        });
      if (waitMs === 0) return whenReady(find(), (found) => serve(found, request, reply));
      const gone = new AbortController();
      reply.raw.once("close", () => gone.abort());
      const since = performance.now();
      const known = request.headers["if-none-match"];
      return whenReady(findOther(find, { orgId, known, waitMs, gone: gone.signal }, deps), (found) => {
        request.waitedMs = performance.now() - since;
        return serve(found, request, reply);
      });
    },
  );
  plane.addHook("preClose", (done) => {
    deps.configWaits.close();
    done();
  });
}

interface Wait {
  readonly orgId: string;
  /** The client's `If-None-Match`. */
  readonly known: string | undefined;
  readonly waitMs: number;
  /** Aborted when the client disconnects. */
  readonly gone: AbortSignal;
}

/** Waits for a config that differs from the client's. When the wait ends, returns the client's own. */
export async function findOther(
  find: () => Representation | Promise<Representation>,
  { orgId, known, waitMs, gone }: Wait,
  { configWaits, snapshots }: Pick<Deps, "configWaits" | "snapshots">,
): Promise<Representation> {
  const until = performance.now() + waitMs;
  let config = await find();
  if (known !== undefined && !matches(known, config.etags)) {
    // The client may know a change that this process has not seen yet. It must not get the previous config.
    await snapshots.findNewer(await snapshots.get(orgId));
    config = await find();
  }
  while (matches(known, config.etags)) {
    const leftMs = until - performance.now();
    if (leftMs <= 0 || !(await configWaits.untilChanged(orgId, leftMs, gone))) break;
    config = await find();
  }
  return config;
}

function serve(config: Representation, request: FastifyRequest, reply: FastifyReply) {
  const isGzip = takesGzip(request.headers);
  const { status, headers } = choose(config.etags, request.headers, isGzip);
  reply.code(status).headers(headers);
  if (status === 304) return reply.send();
  return whenReady(isGzip ? config.gzipped() : config.body(), (body) => reply.send(body));
}

function takesGzip(asked: IncomingHttpHeaders): boolean {
  const encoding = asked["accept-encoding"];
  return encoding === "gzip" || /\bgzip\b/.test(String(encoding ?? ""));
}

/** Chooses how to answer a request for a representation with these ETags. */
function choose(etags: Etags, asked: IncomingHttpHeaders, isGzip: boolean) {
  const headers = {
    etag: isGzip ? etags.gzipped : etags.plain,
    "cache-control": "private, no-cache",
    vary: VARY,
  };
  if (matches(asked["if-none-match"], etags)) return { status: 304, headers };
  const encoding = isGzip ? { "content-encoding": "gzip" } : {};
  return { status: 200, headers: { ...headers, ...JSON_CONTENT, ...encoding } };
}

/** Answers with the whole config if it is loaded and nothing in it must be marked as served first. */
export function directConfig(deps: Deps): DirectRoute {
  const entry = directEntry(ingest.getConfig, "config", deps);
  return {
    method: "GET",
    path: ingest.getConfig.path,
    answer(asked) {
      const holder = entry.find(asked);
      const snapshot = holder && servableAtOnce(holder.orgId, deps);
      if (holder === null || snapshot === null) return null;
      entry.take(holder, 0, 0);
      const served = snapshot.configs[holder.scope];
      const { whole, unchanged } = directAnswersOf(served)[takesGzip(asked) ? "gzipped" : "plain"];
      return matches(asked["if-none-match"], served.etags) ? unchanged : whole;
    },
  };
}

interface DirectAnswers {
  readonly whole: DirectAnswer;
  readonly unchanged: DirectAnswer;
}

/** The answers for a config, which are the same for every client. */
const answersOf = new WeakMap<ServedConfig, Readonly<Record<keyof Etags, DirectAnswers>>>();

function directAnswersOf(served: ServedConfig): Readonly<Record<keyof Etags, DirectAnswers>> {
  const known = answersOf.get(served);
  if (known !== undefined) return known;
  const { etags, body, gzipped } = served;
  const inForm = (isGzip: boolean): DirectAnswers => {
    const bytes = isGzip ? gzipped : body;
    const whole = choose(etags, {}, isGzip);
    const unchanged = choose(etags, { "if-none-match": etags.plain }, isGzip);
    return {
      whole: {
        ...whole,
        headers: { ...EVERY_ANSWER, ...whole.headers, "content-length": bytes.length },
        body: bytes,
      },
      unchanged: { ...unchanged, headers: { ...EVERY_ANSWER, ...unchanged.headers }, body: null },
    };
  };
  const answers = { plain: inForm(false), gzipped: inForm(true) };
  answersOf.set(served, answers);
  return answers;
}

/** Reads the requested experiments (null: all) and how long the client waits. Throws `invalid-query`. */
function askedOf(query: unknown) {
  const asked = coerceIntegers(query as Record<string, unknown>, ConfigQuery);
  rejectRepeated(asked);
  rejectQuery(checkQuery(asked));
  const { experiments, wait = 0 } = asked as Static<typeof ConfigQuery>;
  return { names: experiments === undefined ? null : namesOf(experiments), waitMs: 1000 * wait };
}

function namesOf(experiments: string): readonly string[] {
  const names = experiments.split(",");
  if (names.length <= MAX_CONFIG_NAMES) return names;
  const detail = `Name at most ${MAX_CONFIG_NAMES} experiments, or leave the parameter out for all of them.`;
  throw new DomainError("invalid-query", detail, { faults: [{ pointer: "/experiments", detail }] });
}

/** Resolves names to ids. Skips unknown names. */
function idsOf({ experiments }: OrgSnapshot, names: readonly string[]): ReadonlySet<string> {
  return new Set(names.flatMap((name) => experiments.get(name)?.experiment.id ?? []));
}

const wholeOf = ({ etags, body, gzipped }: ServedConfig): Representation => ({
  etags,
  body: () => body,
  gzipped: () => gzipped,
});

/** Makes the config of some experiments. Its ETag is made without the body, so an up-to-date client costs little. */
function narrowed({ etags, config }: ServedConfig, ids: ReadonlySet<string>): Representation {
  const body = () =>
    JSON.stringify({ ...config, experiments: config.experiments.filter(({ id }) => ids.has(id)) });
  return {
    etags: etagsOf([etags.plain, ...[...ids].sort()].join()),
    body,
    gzipped: () => compress(body()),
  };
}

/**
 * Once a client library has seen a running experiment, its buckets are frozen. This is committed before the config is
 * served; experiments outside the request are not served. Returns a promise only if something must be awaited.
 */
function servableSnapshot(
  orgId: string,
  names: readonly string[] | null,
  deps: Deps,
): OrgSnapshot | Promise<OrgSnapshot> {
  return servableAtOnce(orgId, deps) ?? markServed(orgId, names, deps);
}

/** Returns the org's snapshot if it is loaded and nothing in it must be marked as served. Otherwise null. */
function servableAtOnce(orgId: string, { snapshots }: Pick<Deps, "snapshots">): OrgSnapshot | null {
  const snapshot = snapshots.peek(orgId);
  return snapshot?.unserved.length === 0 ? snapshot : null;
}

async function markServed(orgId: string, names: readonly string[] | null, deps: Deps): Promise<OrgSnapshot> {
  const snapshot = await deps.snapshots.get(orgId);
  const ids = names && idsOf(snapshot, names);
  const unserved = snapshot.unserved.filter(({ id }) => ids === null || ids.has(id));
  if (unserved.length === 0) return snapshot;
  for (const { id, version } of unserved) {
    await deps.control.experiments.markServed(orgId, id, { version, now: deps.clock.now() });
  }
  deps.snapshots.invalidate(orgId);
  return markServed(orgId, names, deps);
}

/** Returns whether an `If-None-Match` names one of these ETags. */
export function matches(header: string | undefined, { plain, gzipped }: Etags): boolean {
  if (header === undefined) return false;
  if (header === plain || header === gzipped) return true;
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(plain) || tags.includes(gzipped) || tags.includes("*");
}
