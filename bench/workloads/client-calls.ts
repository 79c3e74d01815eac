import { assignVariant, compileBuckets, murmur3 } from "@assay/bucketing";
import type { Client } from "@assay/client";
import { type BenchVariant, benchExperiment, flushAll, startClient } from "../contestants/assay.ts";
import type { Workload } from "../harness/workload.ts";
import { knownUsers, newUsers, type Users } from "./users.ts";

const BATCH = 50;
const NAME = "answer-style";
const EXPERIMENTS = 100;
const VARIANTS = 20;
const DEFAULTS = { temperature: 1, model: "small", top_p: 0.9 };

/** The calls of our client, and the operations they are built on. */
export async function workloads(): Promise<readonly Workload[]> {
  const one = [benchExperiment(NAME, 0)];
  const many = Array.from({ length: EXPERIMENTS }, (_, serial) => benchExperiment(`exp-${serial}`, serial));
  const names = many.map(({ name }) => name);
  const wide = [benchExperiment(NAME, 0, variantsOf(VARIANTS))];
  const assign = (client: Client, user: string) => client.assign(NAME, user) !== null;
  const prompt = (client: Client, user: string) => !client.getPrompt(NAME, user, "").fallback;
  const variables = (client: Client, user: string) => client.getVariables(NAME, user, DEFAULTS).top_p === 0.9;
  const nonAscii = knownUsers((serial) => `användare-日本-${serial}`);
  const assignOneOf = (client: Client, user: string, index: number) =>
    client.assign(names[index % EXPERIMENTS]!, user) !== null;
  return [
    ...references(),
    asked("`assign`, known user", await startClient(one), assign),
    asked("`assign`, no exposures", await startClient(one, false), assign),
    asked("`assign`, id outside ASCII", await startClient(one), assign, nonAscii),
    asked(`\`assign\`, ${VARIANTS} variants`, await startClient(wide), assign),
    asked(`\`assign\`, ${EXPERIMENTS} experiments`, await startClient(many), assignOneOf),
    asked("`getPrompt`", await startClient(one), prompt),
    asked("`getVariables`", await startClient(one), variables),
    asked("`assign`, new user (exposure recorded)", await startClient(one), assign, newUsers()),
    asked("`track`", await startClient(one), track),
  ];
}

function references(): readonly Workload[] {
  const { id, salt, bucket_count: bucketCount, buckets, variants } = benchExperiment(NAME, 0);
  const assignable = {
    id,
    salt,
    status: "running",
    bucketCount,
    buckets: compileBuckets(buckets),
    variants,
  };
  const users = knownUsers();
  const lengths = new Map(Array.from({ length: users.count }, (_, i) => [users.at(i), i]));
  return [
    each("reference: `murmur3` of the id", users, (user) => murmur3(user, 0) >= 0),
    each("reference: `Map.get` of the id", users, (user) => lengths.has(user)),
    each("bucketing alone", users, (user) => assignVariant(assignable, user) !== null),
  ];
}

function asked(
  name: string,
  client: Client,
  work: (client: Client, user: string, index: number) => boolean,
  users = knownUsers(),
): Workload {
  return {
    ...each(name, users, (user, index) => work(client, user, index)),
    settle: () => flushAll(client),
    async stop() {
      await client.close();
    },
  };
}

function each(name: string, users: Users, work: (user: string, index: number) => boolean): Workload {
  return {
    name,
    calls: users.count,
    batch: BATCH,
    prepare: users.renew,
    run(from, until) {
      let answered = 0;
      for (let i = from; i < until; i++) if (work(users.at(i), i)) answered++;
      return answered;
    },
  };
}

function track(client: Client, user: string): boolean {
  client.track("business_event", {
    experiment_id: NAME,
    user_id: user,
    metric: "purchase",
    value: 1,
    metadata: { plan: "pro" },
  });
  return true;
}

function variantsOf(count: number): readonly BenchVariant[] {
  return Array.from({ length: count }, (_, index) => ({
    key: `v${index}`,
    prompt: null,
    variables: null,
  }));
}
