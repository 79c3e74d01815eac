export const GREETING = "0190a6c2-7b5e-7c3d-9f10-000000000001";
const HIDDEN = "0190a6c2-7b5e-7c3d-9f10-000000000002";

/** A config with half of the users in each variant of `greeting`. */
export function config(version: number, changes: Readonly<Record<string, unknown>> = {}) {
  const content = { prompt: "Be brief.", variables: { tone: "warm", limit: "none" } };
  const variants = [{ key: "control" }, { key: "brief", ...content }];
  const shared = { status: "running", salt: "s", bucket_count: 100, variants };
  return {
    config_version: version,
    experiments: [
      {
        id: GREETING,
        name: "greeting",
        version,
        ...shared,
        buckets: [
          [50, 0],
          [100, 1],
        ],
        ...changes,
      },
      { id: HIDDEN, name: "hidden", version, ...shared, buckets: [[100, 1]] },
    ],
  };
}
