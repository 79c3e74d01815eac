import { Client } from "@assay/client";
import { type Contestant, EXPERIMENT_NAME, VARIANT_KEYS } from "./contestant.ts";

/** Never during a bench: events are sent in `settle`. */
const FLUSH_INTERVAL_MS = 3_600_000;

export interface BenchVariant {
  readonly key: string;
  readonly prompt: string | null;
  readonly variables: Readonly<Record<string, unknown>> | null;
}

const TWO_VARIANTS: readonly BenchVariant[] = VARIANT_KEYS.map((key) => ({
  key,
  prompt: `You are a helpful assistant. Style: ${key}.`,
  variables: { temperature: 0.2, model: "large", tools: { search: true } },
}));

/** Our client: remembers exposures and records those of new users. */
export async function startAssay(): Promise<Contestant> {
  const client = await startClient([benchExperiment(EXPERIMENT_NAME, 0)]);
  return {
    decide: (user) => client.assign(EXPERIMENT_NAME, user),
    settle: () => flushAll(client),
    async stop() {
      await client.close();
    },
  };
}

/** One running experiment as in the config, with its 1,000 buckets split evenly. */
export function benchExperiment(name: string, serial: number, variants = TWO_VARIANTS) {
  return {
    id: `0199f3c2-77aa-7c3d-9f10-${serial.toString(16).padStart(12, "0")}`,
    name,
    version: 1,
    status: "running",
    salt: "bench",
    bucket_count: 1000,
    buckets: variants.map((_, index): [number, number] => [((index + 1) * 1000) / variants.length, index]),
    variants: variants.map((variant) => ({ ...variant, enabled: true })),
    control: variants[0]!.key,
  };
}

/** A client of a service that answers from memory, without a network. */
export async function startClient(experiments: readonly object[], trackExposures = true): Promise<Client> {
  const config = JSON.stringify({ config_version: 1, experiments });
  const encoder = new TextEncoder();
  const fetch = async (url: string, { body }: RequestInit) => {
    if (url.endsWith("/v1/config")) return new Response(config, { headers: { etag: '"1"' } });
    // As a real fetch does before it sends.
    encoder.encode(String(body));
    return new Response('{"accepted":100,"config_version":1,"rejected":[]}', { status: 202 });
  };
  const client = new Client({
    apiKey: "bench",
    baseUrl: "http://bench",
    flushIntervalMs: FLUSH_INTERVAL_MS,
    trackExposures,
    fetch,
  });
  if (!(await client.ready())) throw new Error("The client did not become ready.");
  return client;
}

/** Sends everything recorded; throws when the service did not answer for all of it. */
export async function flushAll(client: Client): Promise<void> {
  if (!(await client.flush())) throw new Error("The client could not deliver its events.");
}
