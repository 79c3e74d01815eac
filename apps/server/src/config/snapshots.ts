import { createHash } from "node:crypto";
import { isDeepStrictEqual, promisify } from "node:util";
import { gzip } from "node:zlib";
import { type ClientConfig, toWireClientConfig } from "@assay/contract";
import {
  type ControlPlane,
  compileTimeline,
  type Experiment,
  extendTimeline,
  hidesContent,
  isStorageUnavailable,
  type KeyScope,
  type Timeline,
} from "@assay/domain";
import type { Static } from "typebox";
import type { ChangeFeed } from "./change-feed.ts";

/** Compresses off the event loop. */
export const compress = promisify(gzip);

/** One experiment prepared for `assign`, with the buckets known to be claimed. */
export interface SnapshotExperiment {
  readonly experiment: Experiment;
  /** Which units every version gave which variant. */
  readonly timeline: Timeline;
  /** Grows as claims are committed; unused after the experiment was served to client libraries. */
  readonly claimed: Set<number>;
}

/** An experiment as clients get it. */
export type ServedExperiment = Static<typeof ClientConfig>["experiments"][number];

/** A config as clients get it. */
export interface ServedConfig {
  readonly config: Static<typeof ClientConfig>;
  /** By name, former name and id. If a name equals another experiment's id, the id wins. */
  readonly byKey: ReadonlyMap<string, ServedExperiment>;
  readonly body: Buffer;
  readonly gzipped: Buffer;
  readonly etags: Etags;
}

/** Each encoding has its own strong ETag (RFC 9110 §8.8.3). Any change of the content changes both. */
export interface Etags {
  readonly plain: string;
  readonly gzipped: string;
}

/** An org's config at one config version, prepared for the hot paths. While it is current, they read no database. */
export interface OrgSnapshot {
  readonly orgId: string;
  readonly configVersion: number;
  /** By id, name and former name. */
  readonly experiments: ReadonlyMap<string, SnapshotExperiment>;
  /** The answers of `GET /v1/config` by the scope of the key. */
  readonly configs: Readonly<Record<KeyScope, ServedConfig>>;
  /** Running experiments that no client library has seen. They must be marked before this config is served. */
  readonly unserved: readonly Experiment[];
}

/** The snapshots of all orgs in use, each replaced whole when its config changes. */
export interface Snapshots {
  /** Returns the current snapshot if it is loaded. */
  peek(orgId: string): OrgSnapshot | undefined;
  get(orgId: string): Promise<OrgSnapshot>;
  /**
   * Looks for a newer snapshot when something is missing in this one, because another process may have just created it.
   * Queries the control plane for its version at most a few times a second. Returns null when there is nothing newer.
   */
  findNewer(snapshot: OrgSnapshot): Promise<OrgSnapshot | null>;
  /** Makes the next `get` read the control plane again. */
  invalidate(orgId: string): void;
  /** Calls `listener` with each org whose snapshot has just become outdated. */
  onInvalidated(listener: (orgId: string) => void): void;
}

/** While the control plane is out of reach, the reload of an outdated config is retried this often. */
const RETRY_MS = 1_000;
/** The least time between two version checks of an org, however many requests name something unknown. */
const CHECK_INTERVAL_MS = 100;

/**
 * Makes the cache of snapshots over the control plane. While the control plane is out of reach, the last snapshot stays
 * in use, since nobody can change the config then.
 */
export function createSnapshots(
  control: Pick<ControlPlane, "orgs" | "experiments" | "isShared">,
  changes: Pick<ChangeFeed, "subscribe">,
): Snapshots {
  const loaded = new Map<string, OrgSnapshot>();
  /** Snapshots from before the last change. */
  const outdated = new Map<string, OrgSnapshot>();
  const loading = new Map<string, Promise<OrgSnapshot>>();
  /** Counts an org's invalidations: a result read before one must not be cached after it. */
  const generations = new Map<string, number>();
  /** When an org's version was last checked (`performance.now`). */
  const checkedAt = new Map<string, number>();
  const listeners: ((orgId: string) => void)[] = [];

  async function load(orgId: string): Promise<OrgSnapshot> {
    const generation = generations.get(orgId);
    const snapshot = await loadSnapshot(orgId, control, outdated.get(orgId)).catch((error: unknown) =>
      fallBack(orgId, error),
    );
    if (generations.get(orgId) !== generation) return load(orgId);
    loaded.set(orgId, snapshot);
    outdated.delete(orgId);
    return snapshot;
  }

  function fallBack(orgId: string, error: unknown): OrgSnapshot {
    const before = outdated.get(orgId);
    if (before === undefined || !isStorageUnavailable(error)) throw error;
    setTimeout(() => invalidate(orgId), RETRY_MS).unref();
    return before;
  }

  function invalidate(orgId: string): void {
    const before = loaded.get(orgId);
    if (before !== undefined) outdated.set(orgId, before);
    loaded.delete(orgId);
    generations.set(orgId, (generations.get(orgId) ?? 0) + 1);
    for (const listener of listeners) listener(orgId);
  }

  /** Invalidates the orgs whose version has changed, with a single query. */
  async function checkAll(): Promise<void> {
    const versions = new Map((await control.orgs.list()).map(({ id, configVersion }) => [id, configVersion]));
    for (const { orgId, configVersion } of loaded.values())
      if (versions.get(orgId) !== configVersion) invalidate(orgId);
  }

  changes.subscribe("config", (orgId) => {
    if (orgId !== null) return invalidate(orgId);
    void checkAll().catch(() => {
      for (const known of loaded.keys()) invalidate(known);
    });
  });

  function loadOnce(orgId: string): Promise<OrgSnapshot> {
    const promise = load(orgId).finally(() => loading.delete(orgId));
    loading.set(orgId, promise);
    return promise;
  }

  async function get(orgId: string): Promise<OrgSnapshot> {
    return loaded.get(orgId) ?? loading.get(orgId) ?? loadOnce(orgId);
  }

  async function findNewer({ orgId, configVersion }: OrgSnapshot): Promise<OrgSnapshot | null> {
    const now = performance.now();
    if (control.isShared && now - (checkedAt.get(orgId) ?? Number.NEGATIVE_INFINITY) >= CHECK_INTERVAL_MS) {
      checkedAt.set(orgId, now);
      // If the control plane is out of reach, nobody can have created anything.
      const org = await control.orgs.find(orgId).catch(() => null);
      if (
        org !== null &&
        org.configVersion > configVersion &&
        loaded.get(orgId)?.configVersion === configVersion
      )
        invalidate(orgId);
    }
    const inForce = await get(orgId);
    return inForce.configVersion > configVersion ? inForce : null;
  }

  return {
    peek: (orgId) => loaded.get(orgId),
    get,
    findNewer,
    invalidate,
    onInvalidated: (listener) => void listeners.push(listener),
  };
}

async function loadSnapshot(
  orgId: string,
  control: Pick<ControlPlane, "orgs" | "experiments">,
  before: OrgSnapshot | undefined,
): Promise<OrgSnapshot> {
  // The version is read first. A change in between gives new content an old number, which the next poll corrects.
  const org = await control.orgs.find(orgId);
  const experiments = await control.experiments.list(orgId);
  const formerNames = await control.experiments.listFormerNames(orgId);
  const entries = await Promise.all(
    experiments.map((experiment) => layOut(experiment, control, before?.experiments.get(experiment.id))),
  );
  const configVersion = org?.configVersion ?? 0;
  const serve = (scope: KeyScope) =>
    toServed(toWireClientConfig(scope, configVersion, experiments, formerNames));
  const secret = await serve("secret");
  const hidesNothing = experiments.every(({ config }) => !hidesContent(config, "publishable"));
  return {
    orgId,
    configVersion,
    experiments: byReference(entries, formerNames),
    configs: { secret, publishable: hidesNothing ? secret : await serve("publishable") },
    unserved: experiments.filter(
      ({ config, servedAt }) => config.status === "running" && config.flagKey === null && servedAt === null,
    ),
  };
}

async function toServed(config: Static<typeof ClientConfig>): Promise<ServedConfig> {
  const body = Buffer.from(JSON.stringify(config));
  const { experiments } = config;
  const named = experiments.map((entry) => [entry.name, entry] as const);
  const byKey = new Map([...named, ...experiments.map((entry) => [entry.id, entry] as const)]);
  return { config, byKey, body, gzipped: await compress(body), etags: etagsOf(body) };
}

async function layOut(
  experiment: Experiment,
  control: Pick<ControlPlane, "experiments">,
  before: SnapshotExperiment | undefined,
): Promise<SnapshotExperiment> {
  const { id, servedAt } = experiment;
  return {
    experiment,
    timeline: await loadTimeline(experiment, control, before),
    claimed: servedAt === null ? new Set(await control.experiments.listClaims(id)) : new Set(),
  };
}

/** Adds only new versions to the timeline loaded before, because an experiment may have thousands of versions and change often. */
async function loadTimeline(
  experiment: Experiment,
  control: Pick<ControlPlane, "experiments">,
  before: SnapshotExperiment | undefined,
): Promise<Timeline> {
  const { id, orgId, version, config } = experiment;
  if (before !== undefined && before.experiment.version <= version) {
    const known = before.experiment.version;
    // An erasure removes QA users from a version without making a new one.
    const isSame = isDeepStrictEqual(before.experiment.config.qaUsers, config.qaUsers);
    if (known === version && !isSame) return loadTimeline(experiment, control, undefined);
    if (known === version) return before.timeline;
    if (known === version - 1) return extendTimeline(before.timeline, [experiment]);
    const later = await control.experiments.listVersionsAfter(orgId, id, known);
    return extendTimeline(
      before.timeline,
      later.filter((one) => one.version <= version),
    );
  }
  const versions = version === 1 ? [] : await control.experiments.listVersionsAfter(orgId, id, 0);
  const [first = experiment, ...later] = versions.filter((one) => one.version <= version);
  return compileTimeline([first, ...later]);
}

/** Makes the ETags of a content, or of the text that determines it. */
export function etagsOf(content: Buffer | string): Etags {
  const digest = createHash("sha256").update(content).digest("base64url").slice(0, 22);
  return { plain: `"${digest}"`, gzipped: `"${digest}-gzip"` };
}

/** Indexes experiments by id, name and former name. Ids win, in case an experiment is named like another's id; then names. */
function byReference(
  entries: readonly SnapshotExperiment[],
  formerNames: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, SnapshotExperiment> {
  const former = entries.flatMap((entry) =>
    (formerNames.get(entry.experiment.id) ?? []).map((name) => [name, entry] as const),
  );
  const named = entries.map((entry) => [entry.experiment.config.name, entry] as const);
  const identified = entries.map((entry) => [entry.experiment.id, entry] as const);
  return new Map([...former, ...named, ...identified]);
}
