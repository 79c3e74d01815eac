import { ingest } from "@assay/contract";
import type { FastifyInstance } from "fastify";
import type { OrgSnapshot } from "../../config/snapshots.ts";
import type { Deps } from "../../deps.ts";
import { admit, holderOf } from "./admit.ts";

/** Serves the org's config from memory, plain or compressed, each with its own ETag. */
export function registerConfig(plane: FastifyInstance, deps: Deps): void {
  plane.get(
    ingest.getConfig.path,
    { onRequest: admit(ingest.getConfig, "config", deps) },
    async (request, reply) => {
      const snapshot = await servableSnapshot(holderOf(request).orgId, deps);
      const isGzip = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
      const etag = isGzip ? snapshot.gzippedEtag : snapshot.etag;
      reply.header("etag", etag).header("cache-control", "no-cache").header("vary", "Accept-Encoding");
      if (matches(request.headers["if-none-match"], snapshot)) return reply.code(304).send();
      reply.header("content-type", "application/json; charset=utf-8");
      if (isGzip) reply.header("content-encoding", "gzip");
      return reply.send(isGzip ? snapshot.gzipped : snapshot.body);
    },
  );
}

/** Once a client library has seen an experiment running, its buckets are frozen. That is committed before it is served. */
async function servableSnapshot(orgId: string, deps: Deps): Promise<OrgSnapshot> {
  const snapshot = deps.snapshots.peek(orgId) ?? (await deps.snapshots.get(orgId));
  if (snapshot.unserved.length === 0) return snapshot;
  for (const { id, version } of snapshot.unserved) {
    await deps.control.experiments.markServed(orgId, id, { version, now: deps.clock.now() });
  }
  deps.snapshots.invalidate(orgId);
  return servableSnapshot(orgId, deps);
}

function matches(header: string | undefined, snapshot: OrgSnapshot): boolean {
  if (header === undefined) return false;
  if (header === snapshot.etag || header === snapshot.gzippedEtag) return true;
  const tags = header.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(snapshot.etag) || tags.includes(snapshot.gzippedEtag) || tags.includes("*");
}
