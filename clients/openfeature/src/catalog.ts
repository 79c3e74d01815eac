import type { AssayClient } from "./assay-client.ts";

/** The fields of an experiment in a config. */
export interface CatalogEntry {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  /** True: everybody gets the same variant. */
  readonly shipped?: unknown;
  /** What is assigned, `conversation` or `run`; absent: users. */
  readonly unit?: unknown;
  readonly version: number;
}

/** The experiments of one config. */
export interface Catalog {
  readonly version: number;
  readonly experiments: readonly CatalogEntry[];
  /** By id and by name. If a name equals another experiment's id, the id wins, as in the client. */
  readonly byKey: ReadonlyMap<string, CatalogEntry>;
}

/** The client has already checked this level; it checks each experiment separately. */
interface CheckedBody {
  readonly config_version: number;
  readonly experiments: readonly unknown[];
}

const catalogs = new WeakMap<object, Catalog>();

/** Returns the experiments of the config that the client has loaded; null before the first. */
export function loadedCatalog(client: Pick<AssayClient, "configSnapshot">): Catalog | null {
  const body = client.configSnapshot() as CheckedBody | null;
  if (body === null) return null;
  const known = catalogs.get(body);
  if (known !== undefined) return known;
  const catalog = toCatalog(body);
  catalogs.set(body, catalog);
  return catalog;
}

function toCatalog({ config_version: version, experiments: bodies }: CheckedBody): Catalog {
  const experiments = bodies.filter(isEntry);
  const byKey = new Map(experiments.map((experiment) => [experiment.name, experiment]));
  for (const experiment of experiments) byKey.set(experiment.id, experiment);
  return { version, experiments, byKey };
}

function isEntry(value: unknown): value is CatalogEntry {
  const { id, name, status, version } = (value ?? {}) as Partial<Record<keyof CatalogEntry, unknown>>;
  return [id, name, status].every((field) => typeof field === "string") && typeof version === "number";
}
