import { setTimeout as sleep } from "node:timers/promises";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { seededRandom } from "../e2e/support/seeded-random.ts";
import { until } from "../e2e/support/until.ts";
import type { NatsServers } from "../servers/nats.ts";
import type { Deployment } from "./deployment.ts";
import { killWhileItHolds, prepareHarm } from "./hold.ts";
import { expectWholeNight, prepareNight, watchNight } from "./night.ts";
import type { Stage } from "./stage.ts";
import type { Supervised } from "./supervised.ts";

/** Durations. */
export interface Times {
  /** Load before the fault, and after everything works again. */
  readonly loadMs: number;
  /** The time until a supervisor restarts a process. */
  readonly restartMs: number;
  readonly postgresDownMs: number;
  readonly natsDownMs: number;
  readonly eventStoreDownMs: number;
  /** Longer than a worker's lease on a claim. */
  readonly frozenMs: number;
}

/** Something that breaks under load and is repaired. */
export interface Fault {
  readonly name: string;
  /** Causes the fault and repairs it, as a supervisor or an operator does. */
  readonly strike: (stage: Stage, remark: (text: string) => void) => Promise<void>;
  /** No request may fail: a client that retries refused connections sees no other fault. */
  readonly isPlanned?: boolean;
  /** Another fault covers this too, so only the long form plays it separately. */
  readonly isPartOfAnother?: boolean;
}

const READY_MS = 60_000;
const SEED = 20_261_127;
const STREAM = "ASSAY_EVENTS";

const killProcess = (name: string, choose: (deployment: Deployment) => Supervised): Fault => ({
  name: `kill -9 of ${name}, started again`,
  strike: async ({ deployment, times }) => {
    await killAndStart(choose(deployment), times);
  },
});

const killNatsNode = (which: "leader" | "follower"): Fault => ({
  name: `kill -9 of the NATS node that ${which === "leader" ? "leads the stream" : "follows"}, started again`,
  strike: async ({ deployment: { nats }, times: { natsDownMs } }) => {
    const leader = await streamLeader(nats);
    const node = nats.nodes.find(({ name }) => (name === leader) === (which === "leader"))!;
    await node.kill("SIGKILL");
    await sleep(natsDownMs);
    await node.restart();
  },
});

/** Every fault, in order. */
export const FAULTS: readonly Fault[] = [
  killProcess("API process 1", ({ apis }) => apis[0]!),
  killProcess("API process 2", ({ apis }) => apis[1]!),
  { ...killProcess("worker 1", ({ workers }) => workers[0]!), isPartOfAnother: true },
  { ...killProcess("worker 2", ({ workers }) => workers[1]!), isPartOfAnother: true },
  {
    name: "kill -9 of the leading worker in the middle of a night, started again",
    strike: killLeaderAtNight,
  },
  {
    name: "kill -9 of leading workers while they hold an experiment that does harm, started again",
    strike: killLeadersWhileTheyHold,
  },
  killNatsNode("leader"),
  killNatsNode("follower"),
  {
    name: "all NATS nodes killed at once, started again",
    strike: async ({ deployment: { nats }, times: { natsDownMs } }) => {
      await Promise.all(nats.nodes.map((node) => node.kill("SIGKILL")));
      await sleep(natsDownMs);
      await Promise.all(nats.nodes.map((node) => node.restart()));
    },
  },
  { name: "restart of PostgreSQL", strike: ({ deployment }) => deployment.postgres.restart() },
  {
    name: "kill -9 of PostgreSQL, down for a while",
    strike: async ({ deployment: { postgres }, times: { postgresDownMs } }) => {
      await postgres.kill("SIGKILL");
      await postgres.restart({ downMs: postgresDownMs });
    },
  },
  {
    name: "kill -9 of ClickHouse, down for a while",
    strike: async ({ deployment: { clickhouse }, times: { eventStoreDownMs } }) => {
      clickhouse.kill("SIGKILL");
      await sleep(eventStoreDownMs);
      await clickhouse.restart();
    },
  },
  {
    name: "a worker frozen (SIGSTOP) for longer than it may hold events, then woken",
    strike: async ({ deployment: { workers }, times: { frozenMs } }) => {
      const worker = workers[0]!;
      worker.signal("SIGSTOP");
      await sleep(frozenMs);
      worker.signal("SIGCONT");
    },
  },
  {
    name: "rolling restart of every process (SIGTERM)",
    isPlanned: true,
    strike: async ({ deployment: { processes } }) => {
      for (const process of processes) {
        await process.stop();
        await process.start();
        await untilReady(process);
      }
    },
  },
];

async function killAndStart(process: Supervised, { restartMs }: Times): Promise<void> {
  process.signal("SIGKILL");
  await process.ended();
  await sleep(restartMs);
  await process.start();
}

/** Both workers start with the night before them and share it; the leading one is killed amid it, and the other takes over its part. */
async function killLeaderAtNight(stage: Stage, remark: (text: string) => void): Promise<void> {
  const { deployment, times } = stage;
  const night = await prepareNight(stage);
  await Promise.all(deployment.workers.map((worker) => killAndStart(worker, times)));
  await watchNight(
    "half of the night is done",
    night,
    deployment,
    ({ computed, running }) => computed > 0 && running > 0,
  );
  const leader = await leaderOf(deployment);
  const other = deployment.workers.find((worker) => worker !== leader)!;
  const killedAt = performance.now();
  const restarted = killAndStart(leader, times);
  await until("the other worker leads", () => other.isLeader(), READY_MS);
  remark(`the other worker led after ${secondsSince(killedAt)}`);
  await watchNight(
    "the night is done",
    night,
    deployment,
    ({ computed }) => computed === night.experimentIds.length,
  );
  remark(`the night was done after ${secondsSince(killedAt)}`);
  await restarted;
  await expectWholeNight(night, stage);
}

/** The worker that leads looks at each guarded experiment at once, so it is killed soon after the other one was. */
async function killLeadersWhileTheyHold(stage: Stage, remark: (text: string) => void): Promise<void> {
  const { deployment, times } = stage;
  const id = await prepareHarm(stage);
  const restarts: Promise<void>[] = [];
  const killLeader = async () => {
    // The one that was killed before must be there again to take over.
    await Promise.all(restarts);
    const leader = await leaderOf(deployment);
    const other = deployment.workers.find((worker) => worker !== leader)!;
    restarts.push(killAndStart(leader, times));
    await until("the other worker leads", () => other.isLeader(), READY_MS);
  };
  const since = performance.now();
  await killWhileItHolds(id, stage, { random: seededRandom(SEED), killLeader });
  await Promise.all(restarts);
  remark(`it was held ${secondsSince(since)} after its harm was acknowledged`);
}

const secondsSince = (start: number): string => `${((performance.now() - start) / 1000).toFixed(1)} s`;

function leaderOf({ workers }: Deployment): Promise<Supervised> {
  return until(
    "a worker leads",
    async () => {
      const leads = await Promise.all(workers.map((worker) => worker.isLeader()));
      return workers[leads.indexOf(true)];
    },
    READY_MS,
  );
}

/** Returns the name of the node that leads the event stream. */
async function streamLeader({ url }: NatsServers): Promise<string | undefined> {
  const connection = await connect({ servers: url.split(",") });
  try {
    const manager = await jetstreamManager(connection);
    return (await manager.streams.info(STREAM)).cluster?.leader;
  } finally {
    await connection.close();
  }
}

/** Waits until the process says that it is ready. */
export async function untilReady(process: Supervised): Promise<void> {
  await until(`${process.name} is ready`, () => process.isReady(), READY_MS);
}
