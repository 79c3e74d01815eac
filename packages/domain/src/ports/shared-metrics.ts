import type { MetricDefinition } from "../experiment/metric.ts";

/** The metrics that an org's experiments share, one definition per name. */
export interface SharedMetricStore {
  /** By name, in the order of code points. */
  list(orgId: string): Promise<readonly MetricDefinition[]>;
  /** Throws `metric-not-found`. */
  get(orgId: string, name: string): Promise<MetricDefinition>;
  /** Stores the definition under its name, in place of another. */
  put(orgId: string, definition: MetricDefinition): Promise<void>;
}
