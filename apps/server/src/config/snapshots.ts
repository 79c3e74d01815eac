import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type AssignableExperiment, compileBuckets } from "@assay/bucketing";
import { toWireClientConfig } from "@assay/contract";
import { type ControlPlane, type Experiment, toWireBuckets } from "@assay/domain";

const compress = promisify(gzip);

/** One experiment laid out for `assign`, with the buckets known to be claimed. */
export interface SnapshotExperiment {
  readonly experiment: Experiment;
  readonly assignable: AssignableExperiment;
  /** Grows as claims are committed; unused once the experiment was served to client libraries. */
  readonly claimed: Set<number>;
}

/** An org's config as of one config version, laid out for the hot paths: no database is asked while it is in force. */
export interface OrgSnapshot {
  readonly orgId: string;
  readonly configVersion: number;
  /** By id and by name. */
  readonly experiments: ReadonlyMap<string, SnapshotExperiment>;
  readonly body: Buffer;
  readonly gzipped: Buffer;
  /** One strong ETag per representation (RFC 9110 §8.8.3). */
  readonly etag: string;
  readonly gzippedEtag: string;
  /** Running experiments that no client library has seen: serving this config must mark them first. */
  readonly unserved: readonly Experiment[];
}

/** The snapshots of all orgs in use, each replaced whole when its config changes. */
export interface Snapshots {
  /** The snapshot in force, when it is loaded. */
  peek(orgId: string): OrgSnapshot | undefined;
  get(orgId: string): Promise<OrgSnapshot>;
  /** Makes the next `get` read the control plane again. */
  invalidate(orgId: string): void;
}

/** Makes the cache of snapshots over the control plane. */
export function createSnapshots(control: Pick<ControlPlane, "orgs" | "experiments">): Snapshots {
  const loaded = new Map<string, OrgSnapshot>();
  const loading = new Map<string, Promise<OrgSnapshot>>();
  /** Counts an org's invalidations: what was read before one must not be kept after it. */
  const generations = new Map<string, number>();

  async function load(orgId: string): Promise<OrgSnapshot> {
    const generation = generations.get(orgId);
    const snapshot = await loadSnapshot(orgId, control);
    if (generations.get(orgId) !== generation) return load(orgId);
    loaded.set(orgId, snapshot);
    return snapshot;
  }

  function loadOnce(orgId: string): Promise<OrgSnapshot> {
    const promise = load(orgId).finally(() => loading.delete(orgId));
    loading.set(orgId, promise);
    return promise;
  }

  return {
    peek: (orgId) => loaded.get(orgId),
    get: async (orgId) => loaded.get(orgId) ?? loading.get(orgId) ?? loadOnce(orgId),
    invalidate(orgId) {
      loaded.delete(orgId);
      generations.set(orgId, (generations.get(orgId) ?? 0) + 1);
    },
  };
}

async function loadSnapshot(
  orgId: string,
  control: Pick<ControlPlane, "orgs" | "experiments">,
): Promise<OrgSnapshot> {
  // The version is read first: a change in between leaves an old number on new content, and the next poll heals it.
  const org = await control.orgs.find(orgId);
  const experiments = await control.experiments.list(orgId);
  const entries = await Promise.all(experiments.map((experiment) => layOut(experiment, control)));
  const configVersion = org?.configVersion ?? 0;
  const body = Buffer.from(JSON.stringify(toWireClientConfig(configVersion, experiments)));
  const digest = createHash("sha256").update(body).digest("base64url").slice(0, 22);
  return {
    orgId,
    configVersion,
    experiments: byReference(entries),
    body,
    gzipped: await compress(body),
    etag: `"${digest}"`,
    gzippedEtag: `"${digest}-gzip"`,
    unserved: experiments.filter(({ config, servedAt }) => config.status === "running" && servedAt === null),
  };
}

async function layOut(
  experiment: Experiment,
  control: Pick<ControlPlane, "experiments">,
): Promise<SnapshotExperiment> {
  const { id, config, bucketMap, servedAt } = experiment;
  const keys = config.variants.map(({ key }) => key);
  return {
    experiment,
    assignable: {
      id,
      salt: config.salt,
      bucketCount: config.bucketCount,
      status: config.status,
      variants: config.variants,
      buckets: compileBuckets(toWireBuckets(bucketMap, keys)),
    },
    claimed: servedAt === null ? new Set(await control.experiments.listClaims(id)) : new Set(),
  };
}

/** Ids win over names, should someone name an experiment like another's id. */
function byReference(entries: readonly SnapshotExperiment[]): ReadonlyMap<string, SnapshotExperiment> {
  const named = entries.map((entry) => [entry.experiment.config.name, entry] as const);
  const identified = entries.map((entry) => [entry.experiment.id, entry] as const);
  return new Map([...named, ...identified]);
}
