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
import { compileCheck, rejectQuery } from "../../http/validate.ts";
import { whenReady } from "../../http/when-ready.ts";
import { admit, holderOf } from "./admit.ts";

/** A config, or its requested part. */
interface Representation {
  readonly etags: Etags;
  body(): Buffer | string;
  gzipped(): Buffer | Promise<Buffer>;
}

/** Everything that the answer depends on besides its address. */
const VARY = "Accept-Encoding, Origin, X-API-Key";

const checkQuery = compileCheck(ConfigQuery);

/** Serves the org's config from memory as the key may read it, plain or compressed, each with its own ETag. */
export function registerConfig(plane: FastifyInstance, deps: Deps): void {
  plane.get(
    ingest.getConfig.path,
    { onRequest: admit(ingest.getConfig, "config", deps) },
    (request, reply) => {
      const names = namesOf(request.query);
      const { orgId, scope } = holderOf(request);
      return whenReady(servableSnapshot(orgId, names, deps), (snapshot) => {
        const served = snapshot.configs[scope];
        const config = names === null ? wholeOf(served) : narrowed(served, idsOf(snapshot, names));
        return serve(config, request, reply);
      });
    },
  );
}

function serve(config: Representation, { headers }: FastifyRequest, reply: FastifyReply) {
  const isGzip = /\bgzip\b/.test(String(headers["accept-encoding"] ?? ""));
  const etag = isGzip ? config.etags.gzipped : config.etags.plain;
  reply.header("etag", etag).header("cache-control", "private, no-cache").header("vary", VARY);
  if (matches(headers["if-none-match"], config.etags)) return reply.code(304).send();
  reply.header("content-type", "application/json; charset=utf-8");
  if (isGzip) reply.header("content-encoding", "gzip");
  return whenReady(isGzip ? config.gzipped() : config.body(), (body) => reply.send(body));
}

/** Reads the requested experiments; null for all. Throws `invalid-query`. */
function namesOf(query: unknown): readonly string[] | null {
  rejectQuery(checkQuery(query));
  const { experiments } = query as Static<typeof ConfigQuery>;
  if (experiments === undefined) return null;
  const names = experiments.split(",");
  if (names.length <= MAX_CONFIG_NAMES) return names;
  const detail = `Name at most ${MAX_CONFIG_NAMES} experiments, or leave the parameter out for all of them.`;
  throw new DomainError("invalid-query", detail, { faults: [{ pointer: "/experiments", detail }] });
}

/** Resolves names; what exists nowhere is passed over. */
function idsOf({ experiments }: OrgSnapshot, names: readonly string[]): ReadonlySet<string> {
  return new Set(names.flatMap((name) => experiments.get(name)?.experiment.id ?? []));
}

const wholeOf = ({ etags, body, gzipped }: ServedConfig): Representation => ({
  etags,
  body: () => body,
  gzipped: () => gzipped,
});

/** The entries of some experiments. Their ETag needs no body, so that a client that has them costs little. */
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
 * Once a client library has seen an experiment running, its buckets are frozen. This is committed before the config is
 * served; experiments outside the request are not served. Returns a promise only when there is something to wait for.
 */
function servableSnapshot(
  orgId: string,
  names: readonly string[] | null,
  deps: Deps,
): OrgSnapshot | Promise<OrgSnapshot> {
  const snapshot = deps.snapshots.peek(orgId);
  return snapshot?.unserved.length === 0 ? snapshot : markServed(orgId, names, deps);
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

function matches(header: string | undefined, { plain, gzipped }: Etags): boolean {
  if (header === undefined) return false;
  if (header === plain || header === gzipped) return true;
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(plain) || tags.includes(gzipped) || tags.includes("*");
}
