import { createClient } from "@clickhouse/client";
import { idBitsSql } from "../../packages/storage/src/events/sql/id-bits.ts";
import { expectOk, metric, send } from "../e2e/support/service.ts";
import { until } from "../e2e/support/until.ts";
import type { Credentials, Deployment } from "./deployment.ts";
import { eventIdOf, type LoadPlan, usersAfter } from "./load.ts";
import type { SteadySender } from "./steady-sender.ts";

/** What became of all acknowledged events so far. */
export interface Account {
  readonly acknowledged: number;
  readonly logs: readonly LogAccount[];
  /** Users of an experiment with events in two arms. */
  readonly usersInTwoArms: number;
  /** The counts of the API's routes, and the expected counts. */
  readonly counts: readonly Counted[];
}

/** One of the logs in ClickHouse. */
interface LogAccount {
  readonly log: string;
  /** The number of missing acknowledged events, and some of their ids. */
  readonly lost: number;
  readonly lostIds: readonly string[];
  /** Extra rows: an id stored twice, or one that was never sent. */
  readonly surplus: number;
}

interface Counted {
  readonly what: string;
  readonly counted: number;
  readonly expected: number;
}

/** The logs, each with how it has an event's id. */
const LOGS = [
  { log: "raw_events", ids: "event_id", idOf: "id" },
  { log: "analysis", ids: "event_id", idOf: "id" },
  { log: "stored_ids", ids: "id", idOf: idBitsSql("id") },
] as const;
const DRAIN_MS = 150_000;
const COUNT_MS = 60_000;
const LOG_TAIL = 4_000;

/** Waits until the queue is empty; returns how long it took. */
export async function untilDrained({ apis, processes }: Deployment): Promise<number> {
  const started = performance.now();
  const api = { send: <T>(method: string, path: string) => send<T>(`${apis[0]!.url}${path}`, method) };
  const isEmpty = async () => {
    requireRunning(processes);
    return (await metric(api, "assay_queue_batches").catch(() => 1)) === 0;
  };
  await until("the queue drains", isEmpty, DRAIN_MS);
  return performance.now() - started;
}

/** Throws when a process has ended that the test did not kill. */
export function requireRunning(processes: Deployment["processes"]): void {
  for (const process of processes) {
    if (process.isRunning()) continue;
    throw new Error(`${process.name} ended unexpectedly:\n${process.log().slice(-LOG_TAIL)}`);
  }
}

interface Books {
  readonly sender: SteadySender;
  readonly plan: LoadPlan;
  readonly credentials: Credentials;
  readonly others: { readonly events: number };
}

/** Compares what was acknowledged with what is stored and counted. The sender must be paused and the queue drained. */
export async function account(deployment: Deployment, books: Books): Promise<Account> {
  const { events, batches } = books.sender;
  const client = createClient({ url: deployment.clickhouse.url });
  const rows = async <T>(query: string) =>
    (await client.query({ query, format: "JSONCompactEachRow" })).json<T>();
  const first = async (query: string) => Number((await rows<[string]>(query))[0]?.[0]);
  try {
    const logs: LogAccount[] = [];
    for (const { log, ids, idOf } of LOGS) {
      const sent = `SELECT concat('${eventIdOf(0).slice(0, -1)}', toString(number)) AS id FROM numbers(${events})`;
      const missing = `${sent} WHERE ${idOf} NOT IN (SELECT ${ids} FROM ${log})`;
      const lost = await first(`SELECT count() FROM (${missing})`);
      const lostIds = (await rows<[string]>(`${missing} LIMIT 5`)).map(([id]) => id);
      const stored = await first(`SELECT count() FROM ${log} FINAL`);
      logs.push({ log, lost, lostIds, surplus: stored + lost - events - books.others.events });
    }
    const usersInTwoArms = await first(
      `SELECT count() FROM (SELECT user_id FROM analysis FINAL WHERE variant != ''
       GROUP BY experiment_id, user_id HAVING uniqExact(variant) > 1)`,
    );
    return {
      acknowledged: events,
      logs,
      usersInTwoArms,
      counts: await countByApi(deployment, books, batches),
    };
  } finally {
    await client.close();
  }
}

type ByVariant = Readonly<Record<string, number>>;

/** Queries every API process. All must report the same. */
async function countByApi(
  { apis }: Deployment,
  { plan, credentials, sender, others }: Books,
  batches: number,
) {
  const { session } = credentials;
  const counts: Counted[] = [];
  for (const { name, url } of apis) {
    const read = <T>(path: string) => expectOk(send<T>(`${url}/v1/${path}`, "GET", { headers: session }));
    const used = async () => (await read<{ events: { used: number } }>("usage")).events.used;
    const sent = sender.events + others.events;
    counts.push({ what: `${name}: metered`, counted: await settled(used, sent), expected: sent });
    for (const [place, { id }] of plan.experiments.entries()) {
      const expected = usersAfter(batches, place, plan);
      const live = await read<{ exposures: ByVariant; users: ByVariant }>(`experiments/${id}/live`);
      const traffic = await read<{ days: { exposures: ByVariant }[] }>(`experiments/${id}/traffic`);
      const all = traffic.days.reduce((total, { exposures }) => total + sum(exposures), 0);
      const of = `${name}: experiment ${place + 1}`;
      counts.push({ what: `${of}, live exposures`, counted: sum(live.exposures), expected });
      counts.push({ what: `${of}, live users`, counted: sum(live.users), expected });
      counts.push({ what: `${of}, traffic`, counted: all, expected });
    }
  }
  return counts;
}

/** Polls the route: it waits only a moment for events just acknowledged, so its count may be slightly old. */
async function settled(read: () => Promise<number>, expected: number): Promise<number> {
  let counted = -1;
  const isThere = async () => {
    counted = await read();
    return counted >= expected;
  };
  await until("the usage is counted", isThere, COUNT_MS).catch(() => undefined);
  return counted;
}

const sum = (counts: ByVariant): number => Object.values(counts).reduce((total, count) => total + count, 0);

/** Lists the problems of an account, one line each; empty when there are none. */
export function faultsOf({ logs, usersInTwoArms, counts }: Account): readonly string[] {
  const found: string[] = [];
  for (const { log, lost, lostIds, surplus } of logs) {
    if (lost > 0) found.push(`${log}: ${lost} acknowledged and not stored, such as ${lostIds.join(", ")}`);
    if (surplus !== 0) found.push(`${log}: ${surplus} rows too many`);
  }
  if (usersInTwoArms > 0) found.push(`${usersInTwoArms} users are in two arms`);
  for (const { what, counted, expected } of counts) {
    if (counted !== expected) found.push(`${what}: ${counted} instead of ${expected}`);
  }
  return found;
}
