import { ConfigQuery, ingest, MAX_CONFIG_NAMES } from "@assay/contract";
import { DomainError } from "@assay/domain";
import type { FastifyInstance } from "fastify";
import type { Static } from "typebox";
import { compress, digestOf, type OrgSnapshot, type ServedConfig } from "../../config/snapshots.ts";
import type { Deps } from "../../deps.ts";
import { compileCheck, rejectQuery } from "../../http/validate.ts";
import { admit, holderOf } from "./admit.ts";

/** A config, or the part of one that was asked for. */
interface Representation {
  /** Each encoding has a strong ETag of its own (RFC 9110 §8.8.3). */
  readonly etag: string;
  readonly gzippedEtag: string;
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
    async (request, reply) => {
      const names = namesOf(request.query);
      const { orgId, scope } = holderOf(request);
      const snapshot = await servableSnapshot(orgId, names, deps);
      const served = snapshot.configs[scope];
      const config = names === null ? wholeOf(served) : narrowed(served, idsOf(snapshot, names));
      const isGzip = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
      const etag = isGzip ? config.gzippedEtag : config.etag;
      reply.header("etag", etag).header("cache-control", "private, no-cache").header("vary", VARY);
      if (matches(request.headers["if-none-match"], config)) return reply.code(304).send();
      reply.header("content-type", "application/json; charset=utf-8");
      if (isGzip) reply.header("content-encoding", "gzip");
      return reply.send(isGzip ? await config.gzipped() : config.body());
    },
  );
}

/** Reads which experiments are asked for; null for all. Throws `invalid-query`. */
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

const wholeOf = ({ digest, body, gzipped }: ServedConfig): Representation => ({
  ...etagsOf(digest),
  body: () => body,
  gzipped: () => gzipped,
});

/** The entries of some experiments. Their ETag needs no body, so that a client that has them costs little. */
function narrowed({ digest, config }: ServedConfig, ids: ReadonlySet<string>): Representation {
  const body = () =>
    JSON.stringify({ ...config, experiments: config.experiments.filter(({ id }) => ids.has(id)) });
  return {
    ...etagsOf(digestOf([digest, ...[...ids].sort()].join())),
    body,
    gzipped: () => compress(body()),
  };
}

const etagsOf = (digest: string) => ({ etag: `"${digest}"`, gzippedEtag: `"${digest}-gzip"` });

/**
 * Once a client library has seen an experiment running, its buckets are frozen. That is committed before it is served; experiments
 * that were not asked for are not served.
 */
async function servableSnapshot(
  orgId: string,
  names: readonly string[] | null,
  deps: Deps,
): Promise<OrgSnapshot> {
  const snapshot = deps.snapshots.peek(orgId) ?? (await deps.snapshots.get(orgId));
  const ids = names && snapshot.unserved.length > 0 ? idsOf(snapshot, names) : null;
  const unserved = snapshot.unserved.filter(({ id }) => ids === null || ids.has(id));
  if (unserved.length === 0) return snapshot;
  for (const { id, version } of unserved) {
    await deps.control.experiments.markServed(orgId, id, { version, now: deps.clock.now() });
  }
  deps.snapshots.invalidate(orgId);
  return servableSnapshot(orgId, names, deps);
}

function matches(header: string | undefined, { etag, gzippedEtag }: Representation): boolean {
  if (header === undefined) return false;
  if (header === etag || header === gzippedEtag) return true;
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(etag) || tags.includes(gzippedEtag) || tags.includes("*");
}
