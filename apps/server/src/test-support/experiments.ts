/**
 * A valid create body; `name` must be unique in the org. Most tests name their users' variants themselves, so the bucket
 * map is not what assigns them.
 */
export function experimentBody(name: string, change: Readonly<Record<string, unknown>> = {}) {
  return {
    name,
    salt: `salt-${name}`,
    bucket_count: 1000,
    assignment: "external",
    allocation: [
      { variant: "control", weight: 1 },
      { variant: "treatment", weight: 1 },
    ],
    metrics: [
      metricBody("latency", { kind: "ratio", category: "latency" }),
      metricBody("bought", { kind: "binary" }),
    ],
    ...change,
  };
}

/** A valid metric; a binary business metric unless the change says otherwise. */
export function metricBody(name: string, change: Readonly<Record<string, unknown>> = {}) {
  return {
    name,
    kind: "mean",
    category: "business",
    method_default: "auto",
    metric_version: 1,
    shared_org_wide: false,
    ...change,
  };
}

export interface WireExperiment {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly status: string;
  readonly control: string;
  readonly coverage: number;
  readonly variants: readonly { readonly key: string; readonly enabled: boolean }[];
  readonly effective_allocation: Readonly<Record<string, number>>;
}

export interface WireProblem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

/** Returns the last segment of a problem's type. */
export function slugOf({ type }: WireProblem): string {
  return type.slice(type.lastIndexOf("/") + 1);
}
