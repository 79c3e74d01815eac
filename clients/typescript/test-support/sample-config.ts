export const EXPERIMENT_ID = "0190a6c2-7b5e-7c3d-9f10-000000000001";

/** A body of GET /v1/config: one running experiment, "greeting", everybody in "short" by default. */
export function sampleConfig(version = 1, changes: Record<string, unknown> = {}): Record<string, unknown> {
  const greeting = {
    id: EXPERIMENT_ID,
    name: "greeting",
    version: 1,
    status: "running",
    salt: "s",
    bucket_count: 100,
    buckets: [[100, 1]],
    variants: [
      { key: "control", prompt: null, variables: null, enabled: true },
      { key: "short", prompt: null, variables: null, enabled: true },
    ],
    control: "control",
    ...changes,
  };
  return { config_version: version, experiments: [greeting] };
}
