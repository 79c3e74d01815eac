import type { IngestQueue, JudgementStore } from "@assay/domain";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export interface Metrics {
  readonly registry: Registry;
  readonly eventsAccepted: Counter;
  readonly eventsRejected: Counter;
  readonly eventsStored: Counter;
  readonly clientNullsBeforeReady: Counter;
  readonly pipelineSeconds: Histogram;
  /** By outcome: scored, failed, postponed, or lost to another process. */
  readonly judgeEvaluations: Counter<"outcome">;
  readonly judgeSeconds: Histogram;
  readonly judgeCostUsd: Counter;
}

interface Sources {
  readonly queue: Pick<IngestQueue, "depth">;
  readonly judgements: Pick<JudgementStore, "countPending">;
}

/** Makes the Prometheus metrics of one process; the gauges of the queue and of the backlog read them when they are scraped. */
export function createMetrics({ queue, judgements }: Sources, now: () => number): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  gauge(
    registry,
    "assay_queue_batches",
    "Accepted batches that wait for the event store.",
    () => queue.depth().batches,
  );
  gauge(registry, "assay_queue_bytes", "Their size in bytes.", () => queue.depth().bytes);
  gauge(registry, "assay_queue_age_seconds", "Age of the oldest of them.", () => {
    const { oldestReceivedAt } = queue.depth();
    return oldestReceivedAt === null ? 0 : Math.max(0, now() - oldestReceivedAt) / 1000;
  });
  new Gauge({
    name: "assay_judge_backlog",
    help: "Judgements that are still to be made, of all orgs.",
    registers,
    async collect() {
      // A store that is down must not take the other metrics along: the last number stays.
      await judgements.countPending(null).then(
        (pending) => this.set(pending),
        () => undefined,
      );
    },
  });
  return {
    registry,
    eventsAccepted: new Counter({
      name: "assay_events_accepted_total",
      help: "Rows acknowledged.",
      registers,
    }),
    eventsRejected: new Counter({ name: "assay_events_rejected_total", help: "Rows refused.", registers }),
    eventsStored: new Counter({
      name: "assay_events_stored_total",
      help: "Rows handed to the event store, repeats included.",
      registers,
    }),
    clientNullsBeforeReady: new Counter({
      name: "assay_client_null_before_ready_total",
      help: "Assignments that client libraries answered with null because no config was loaded yet.",
      registers,
    }),
    pipelineSeconds: new Histogram({
      name: "assay_pipeline_experiment_seconds",
      help: "Time of one experiment's analysis.",
      buckets: [0.05, 0.2, 1, 5, 20, 60, 300],
      registers,
    }),
    judgeEvaluations: new Counter({
      name: "assay_judge_evaluations_total",
      help: "Attempts at judgements, by what became of them.",
      labelNames: ["outcome"],
      registers,
    }),
    judgeSeconds: new Histogram({
      name: "assay_judge_seconds",
      help: "Time of one request to the judge.",
      buckets: [0.1, 0.3, 1, 3, 10, 30, 60],
      registers,
    }),
    judgeCostUsd: new Counter({
      name: "assay_judge_cost_usd_total",
      help: "What judging cost by the orgs' prices, in US dollars.",
      registers,
    }),
  };
}

function gauge(registry: Registry, name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}
