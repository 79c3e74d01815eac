import type { MetricDefinition } from "../experiment/metric.ts";

/** The metrics shared by an org's experiments, one definition per name. */
export interface SharedMetricStore {
  /** Ordered by name, by code points. */
  list(orgId: string): Promise<readonly MetricDefinition[]>;
  /** Throws `metric-not-found`. */
  get(orgId: string, name: string): Promise<MetricDefinition>;
  /** Stores the definition under its name; replaces an earlier one. */
  put(orgId: string, definition: MetricDefinition): Promise<void>;
}
