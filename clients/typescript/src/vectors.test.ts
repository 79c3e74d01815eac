import { expect, test } from "vitest";
import { readVectors } from "../test-support/read-vectors.ts";
import { CoreClient } from "./core-client.ts";

interface AssignCase {
  readonly name: string;
  readonly loaded: boolean;
  readonly experiment: string;
  readonly user_id?: string;
  readonly user_utf16?: readonly number[];
  readonly variant: string | null;
}
interface AssignVectors {
  readonly config: unknown;
  readonly cases: readonly AssignCase[];
  readonly counts: readonly {
    readonly experiment: string;
    readonly expected: Readonly<Record<string, number>>;
    readonly expected_null: number;
  }[];
}
interface StickyCase {
  readonly name: string;
  readonly experiment: Readonly<Record<string, unknown>>;
  readonly versions: readonly { readonly variants: unknown; readonly buckets: unknown }[];
  readonly users: readonly { readonly user_id: string; readonly variants: readonly (string | null)[] }[];
}

const assignVectors = readVectors<AssignVectors>("assign");
const stickyCases = readVectors<{ cases: readonly StickyCase[] }>("sticky").cases;

const userOf = ({ user_id, user_utf16 }: AssignCase) => user_id ?? String.fromCharCode(...(user_utf16 ?? []));

/** A client that has loaded `config`, or nothing yet when it is null. */
async function clientWith(config: unknown): Promise<CoreClient> {
  const fetch = () =>
    config === null ? new Promise<never>(() => {}) : Promise.resolve(Response.json(config));
  const client = new CoreClient({
    apiKey: "k",
    baseUrl: "http://unused.invalid",
    trackExposures: false,
    fetch,
  });
  if (config !== null) expect(await client.ready()).toBe(true);
  return client;
}

const loaded = await clientWith(assignVectors.config);
const empty = await clientWith(null);

test.each(assignVectors.cases)("assign.json: $name", (vector) => {
  const client = vector.loaded ? loaded : empty;
  expect(client.assign(vector.experiment, userOf(vector))).toBe(vector.variant);
});

test.each(assignVectors.counts)(
  "assign.json: 1,000 users of $experiment",
  ({ experiment, expected, expected_null }) => {
    const counts: Record<string, number> = {
      ...Object.fromEntries(Object.keys(expected).map((key) => [key, 0])),
      null: 0,
    };
    for (let i = 0; i < 1_000; i++) {
      const variant = loaded.assign(experiment, `user-${i}`) ?? "null";
      counts[variant] = (counts[variant] ?? 0) + 1;
    }
    expect(counts).toEqual({ ...expected, null: expected_null });
  },
);

test.each(stickyCases)("sticky.json: $name", async ({ experiment, versions, users }) => {
  for (const [index, version] of versions.entries()) {
    const served = { ...experiment, ...version, name: "sticky", version: index + 1, status: "running" };
    const client = await clientWith({ config_version: index + 1, experiments: [served] });
    for (const { user_id, variants } of users) expect(client.assign("sticky", user_id)).toBe(variants[index]);
    await client.close();
  }
});
