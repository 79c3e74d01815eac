import { setTimeout as sleep } from "node:timers/promises";
import type { AdminStore, ControlPlane, IngestQueue, JudgementStore } from "@assay/domain";
import { Gauge, type Registry } from "prom-client";
import { coalesceReads } from "./config/coalesce-reads.ts";
import type { DependencyCheck } from "./http/dependency-checks.ts";

/** Where the gauges' numbers come from. */
export interface GaugeSources {
  readonly queue: Pick<IngestQueue, "depth" | "countBuried">;
  readonly control: Pick<ControlPlane, "connections"> & {
    readonly judgements: Pick<JudgementStore, "countPending">;
    readonly admin: Pick<AdminStore, "findLastPipelineDay">;
  };
  readonly checkDependencies: () => Promise<readonly DependencyCheck[]>;
  readonly now: () => number;
  /** The labels of this process. */
  readonly build: Readonly<Record<"version" | "role", string>>;
}

/** An engine that hangs must not hang the scrape. */
const DEADLINE_MS = 3_000;

/** Adds a gauge that is read when it is scraped. */
type AddGauge = (name: string, help: string, read: () => Promise<number> | number) => void;

/** Registers the gauges that engines supply. For engines that processes share, every process reports the same number. */
export function registerGauges(registry: Registry, sources: GaugeSources): void {
  const registers = [registry];
  const add: AddGauge = (name, help, read) => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        return withinDeadline(async () => this.set(await read()));
      },
    });
  };
  addQueue(add, sources);
  addNight(add, sources);
  addConnections(add, sources);
  add("assay_judge_backlog", "Judgements still to be made, over all orgs.", () =>
    sources.control.judgements.countPending(null),
  );
  const labelNames = ["version", "role"] as const;
  const buildHelp = "Version and role of this process; always 1.";
  new Gauge({ name: "assay_build_info", help: buildHelp, labelNames, registers }).set(sources.build, 1);
  new Gauge({
    name: "assay_dependency_up",
    help: "1 when the engine answers this process, else 0.",
    labelNames: ["dependency"],
    registers,
    collect() {
      return withinDeadline(async () => {
        for (const { name, fault } of await sources.checkDependencies())
          this.set({ dependency: name }, fault === null ? 1 : 0);
      });
    },
  });
}

function addQueue(add: AddGauge, { queue, now }: GaugeSources): void {
  const depth = coalesceReads(() => queue.depth());
  add(
    "assay_queue_batches",
    "Accepted batches waiting for the event store.",
    async () => (await depth()).batches,
  );
  add("assay_queue_bytes", "Size of the waiting batches in bytes.", async () => (await depth()).bytes);
  add("assay_queue_age_seconds", "Age of the oldest waiting batch.", async () => {
    const { oldestReceivedAt } = await depth();
    return oldestReceivedAt === null ? 0 : Math.max(0, now() - oldestReceivedAt) / 1000;
  });
  add("assay_dead_letters", "Batches that the event store refused for good, kept for an operator.", () =>
    queue.countBuried(),
  );
}

function addNight(add: AddGauge, { control }: GaugeSources): void {
  const lastNight = coalesceReads(() => control.admin.findLastPipelineDay());
  add(
    "assay_nightly_finished_timestamp_seconds",
    "When the last run of the latest night ended, in Unix time; 0 before the first.",
    async () => ((await lastNight())?.finishedAt ?? 0) / 1000,
  );
  add(
    "assay_nightly_failed_experiments",
    "Experiments whose run failed in the latest night and has not succeeded since.",
    async () => (await lastNight())?.outcomes.failed ?? 0,
  );
}

/** Adds the connection gauges; an embedded control plane has no connections. */
function addConnections(add: AddGauge, { control }: GaugeSources): void {
  const read = () => control.connections() ?? { inUse: 0, waiting: 0, max: 0 };
  if (control.connections() === null) return;
  add("assay_database_connections_in_use", "PostgreSQL connections in use.", () => read().inUse);
  add(
    "assay_database_connections_max",
    "PostgreSQL connections that this process may open.",
    () => read().max,
  );
  add("assay_database_waiting", "Queries waiting for a free connection.", () => read().waiting);
}

/** A store that is down must not fail the scrape: its last number stays. */
async function withinDeadline(collect: () => Promise<void>): Promise<void> {
  await Promise.race([collect().catch(() => undefined), sleep(DEADLINE_MS, undefined, { ref: false })]);
}
