import { assignVariant, compileBuckets, murmur3 } from "@assay/bucketing";
import { Client } from "@assay/client";
import { formatSpread, spreadOf } from "./harness/spread.ts";
import { printTable } from "./harness/table.ts";
import { ratioOf, type Timed, timeCalls } from "./harness/time-calls.ts";

/** Fewer than the users whose exposure a client remembers, so that all of them are known. */
const KNOWN_USERS = 5_000;
const KNOWN_REPEATS = 40;
/** Fewer than the events that a client holds before it sends them. */
const NEW_USERS = 5_000;

const EXPERIMENT = {
  id: "0199f3c2-77aa-7c3d-9f10-3a5b7c9d1e2f",
  name: "answer-style",
  version: 1,
  status: "running",
  salt: "bench",
  bucket_count: 1000,
  buckets: [
    [500, 0],
    [1000, 1],
  ] as [number, number][],
  variants: [
    { key: "base", prompt: null, variables: null, enabled: true },
    { key: "concise", prompt: null, variables: null, enabled: true },
  ],
  control: "base",
};

/** Compares the client's `assign` with the hash it rests on and with a look-up in a Map. */
export async function benchClient(): Promise<void> {
  const client = await readyClient();
  const candidates = [...references(), ...bucketing(), ...assignments(client)];
  const [hash, lookUp, ...times] = await timeCalls(candidates);
  await client.close();
  const rows = times.map((ns, index) => [
    candidates[index + 2]!.name,
    formatSpread(ratioOf(ns, hash!)),
    formatSpread(ratioOf(ns, lookUp!)),
    formatSpread(spreadOf(ns)),
  ]);
  printTable(
    "client",
    `Time per call ÷ time of the reference. Median (min–max) of the rounds. Map of ${KNOWN_USERS.toLocaleString("en-US")} users.`,
    [["call", "÷ `murmur3` of the same text", "÷ `Map.get`", "ns"], ...rows],
  );
}

/** A client on a service that answers from memory: no network is part of a call. */
async function readyClient(): Promise<Client> {
  const config = JSON.stringify({ config_version: 1, experiments: [EXPERIMENT] });
  const fetch = async (url: string) =>
    url.endsWith("/v1/config")
      ? new Response(config, { headers: { etag: '"1"' } })
      : new Response('{"accepted":1,"config_version":1,"rejected":[]}', { status: 202 });
  const client = new Client({
    apiKey: "bench",
    baseUrl: "http://bench",
    experiments: [EXPERIMENT.name],
    fetch,
  });
  if (!(await client.ready())) throw new Error("The client did not get ready.");
  return client;
}

const users = Array.from({ length: KNOWN_USERS }, (_, index) => `user-${index}`);

function references(): readonly Timed[] {
  const texts = users.map((user) => `${EXPERIMENT.salt}:${EXPERIMENT.id}:${user}`);
  const lengths = new Map(users.map((user) => [user, user.length]));
  return [
    forEach("murmur3", texts, (text) => murmur3(text, 0)),
    forEach("Map.get", users, (user) => lengths.get(user) ?? 0),
  ];
}

function bucketing(): readonly Timed[] {
  const assignable = {
    ...EXPERIMENT,
    bucketCount: EXPERIMENT.bucket_count,
    buckets: compileBuckets(EXPERIMENT.buckets),
  };
  return [
    forEach(
      "bucketing alone: `assignVariant`",
      users,
      (user) => assignVariant(assignable, user)?.length ?? 0,
    ),
  ];
}

function assignments(client: Client): readonly Timed[] {
  const assign = (user: string) => client.assign(EXPERIMENT.name, user)?.length ?? 0;
  let serial = 0;
  return [
    forEach("`client.assign`, known user", users, assign),
    {
      name: "`client.assign`, new user (records an exposure)",
      calls: NEW_USERS,
      run() {
        let sum = 0;
        for (let call = 0; call < NEW_USERS; call++) sum += assign(`new-user-${serial++}`);
        return sum;
      },
      settle: async () => {
        if (!(await client.flush())) throw new Error("The client could not deliver its events.");
      },
    },
  ];
}

function forEach(name: string, texts: readonly string[], work: (text: string) => number): Timed {
  return {
    name,
    calls: texts.length * KNOWN_REPEATS,
    run() {
      let sum = 0;
      for (let repeat = 0; repeat < KNOWN_REPEATS; repeat++) for (const text of texts) sum += work(text);
      return sum;
    },
  };
}
