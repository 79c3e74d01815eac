import { startAssay } from "../contestants/assay.ts";
import { type Contestant, VARIANT_KEYS } from "../contestants/contestant.ts";
import { startGrowthBook } from "../contestants/growthbook.ts";
import { startOptimizely } from "../contestants/optimizely.ts";
import { startUnleash } from "../contestants/unleash.ts";
import type { Workload } from "../harness/workload.ts";
import { knownUsers, newUsers, type Users } from "./users.ts";

const BATCH = 50;
/** For 5,000 users: seven standard deviations of a fair split. */
const LARGEST_SKEW = 0.05;

/** Our client first, then the other libraries by name. */
const CONTESTANTS = [
  ["`@assay/client`", startAssay],
  ["GrowthBook", startGrowthBook],
  ["Optimizely", startOptimizely],
  ["Unleash", startUnleash],
] as const;

/** The same decision by each library: for known users, then for new users whose exposure is recorded. */
export async function workloads(): Promise<readonly Workload[]> {
  const started: Workload[] = [];
  for (const isNew of [false, true]) {
    for (const [name, start] of CONTESTANTS) {
      const contestant = await start(isNew);
      const users = isNew ? newUsers() : knownUsers();
      await checkSplit(name, contestant);
      started.push(decisions(name, contestant, users));
    }
  }
  return started;
}

function decisions(name: string, contestant: Contestant, users: Users): Workload {
  return {
    name,
    calls: users.count,
    batch: BATCH,
    prepare: users.renew,
    run(from, until) {
      let decided = 0;
      for (let i = from; i < until; i++) if (contestant.decide(users.at(i)) !== null) decided++;
      return decided;
    },
    settle: contestant.settle,
    stop: contestant.stop,
  };
}

/**
 * The libraries hash differently, but each must put half of the users into each variant. Otherwise the
 * experiments differ.
 */
async function checkSplit(name: string, contestant: Contestant): Promise<void> {
  const users = knownUsers();
  const counts = new Map<unknown, number>(VARIANT_KEYS.map((key) => [key, 0]));
  for (let i = 0; i < users.count; i++) {
    const variant = contestant.decide(users.at(i));
    counts.set(variant, (counts.get(variant) ?? 0) + 1);
  }
  await contestant.settle();
  const isEven = [...counts.values()].every((count) => Math.abs(count / users.count - 0.5) < LARGEST_SKEW);
  if (counts.size !== VARIANT_KEYS.length || !isEven) {
    throw new Error(`${name} does not run the experiment: ${JSON.stringify([...counts])}.`);
  }
}
