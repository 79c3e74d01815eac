import { RUN_OUTCOMES, UNJOINED } from "@assay/domain";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { replaceLoopLag } from "./event-loop-lag.ts";
import { createRequestTimes, type RequestTimes } from "./request-times.ts";
import { type GaugeSources, registerGauges } from "./scraped-gauges.ts";

/** Why rows are refused. */
export const REJECTION_REASONS = ["invalid", "unknown_experiment", "unknown_variant", "allowance"] as const;
export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** How often prom-client's monitor of the event loop, which cannot be left out, wakes the process. */
const LOOP_MONITOR_MS = 86_400_000;

/** The Prometheus metrics of one process. Labels never contain an org, a user or anything that a caller chose. */
export interface Metrics {
  readonly registry: Registry;
  readonly requestTimes: RequestTimes;
  readonly eventsAccepted: Counter;
  readonly eventsRejected: Counter<"reason">;
  readonly eventsStored: Counter;
  readonly storeFailures: Counter;
  readonly clientNullsBeforeReady: Counter;
  readonly tracesUnjoined: Counter<"reason">;
  readonly pipelineSeconds: Histogram;
  readonly nightlySeconds: Histogram;
  readonly nightlyOutcomes: Counter<"outcome">;
  /** By outcome: scored, failed, postponed, or lost to another process. */
  readonly judgeEvaluations: Counter<"outcome">;
  readonly judgeSeconds: Histogram;
  readonly judgeCostUsd: Counter;
  readonly rehearsalRequests: Counter<"kind" | "outcome">;
  readonly rehearsalCostUsd: Counter;
  readonly leader: Gauge;
}

/** Makes the Prometheus metrics of one process. Metrics that an engine supplies are read at each scrape. */
export function createMetrics(sources: GaugeSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_MONITOR_MS });
  replaceLoopLag(registry);
  registerGauges(registry, sources);
  const metrics = {
    registry,
    ...ingestMetrics(registry),
    ...pipelineMetrics(registry),
    ...judgeMetrics(registry),
    ...rehearsalMetrics(registry),
  };
  // Starts every series at 0: a series that begins with its first failure has no rate to alert on.
  for (const reason of REJECTION_REASONS) metrics.eventsRejected.inc({ reason }, 0);
  for (const reason of UNJOINED) metrics.tracesUnjoined.inc({ reason }, 0);
  for (const outcome of RUN_OUTCOMES) metrics.nightlyOutcomes.inc({ outcome }, 0);
  return {
    ...metrics,
    requestTimes: createRequestTimes(registry),
    leader: new Gauge({
      name: "assay_leader",
      help: "1 on the leader, the process that runs the schedule and the sweeps; else 0.",
      registers: [registry],
    }),
  };
}

function ingestMetrics(registry: Registry) {
  const counter = <L extends string = never>(name: string, help: string, labelNames: L[] = []) =>
    new Counter<L>({ name, help, labelNames, registers: [registry] });
  return {
    eventsAccepted: counter("assay_events_accepted_total", "Rows acknowledged."),
    eventsRejected: counter(
      "assay_events_rejected_total",
      "Rows refused: invalid, of an unknown experiment, or past the month's allowance.",
      ["reason"],
    ),
    eventsStored: counter("assay_events_stored_total", "Rows written to the event store, including repeats."),
    storeFailures: counter(
      "assay_event_store_failures_total",
      "Attempts to store events that failed; the events wait in the queue.",
    ),
    clientNullsBeforeReady: counter(
      "assay_client_null_before_ready_total",
      "Assignments that client libraries answered with null because no config was loaded yet.",
    ),
    tracesUnjoined: counter(
      "assay_otlp_unjoined_total",
      "Model calls and scores from OpenTelemetry that did not become events within a day, by reason.",
      ["reason"],
    ),
  };
}

function pipelineMetrics(registry: Registry) {
  const registers = [registry];
  return {
    pipelineSeconds: new Histogram({
      name: "assay_pipeline_experiment_seconds",
      help: "Time of one experiment's run.",
      buckets: [0.05, 0.2, 1, 5, 20, 60, 300],
      registers,
    }),
    nightlySeconds: new Histogram({
      name: "assay_nightly_seconds",
      help: "Time of a nightly run: all experiments that this process analyzed for one day.",
      buckets: [1, 5, 20, 60, 300, 1_200, 3_600],
      registers,
    }),
    nightlyOutcomes: new Counter({
      name: "assay_nightly_runs_total",
      help: "Nightly runs of experiments by outcome.",
      labelNames: ["outcome"],
      registers,
    }),
  };
}

function judgeMetrics(registry: Registry) {
  const registers = [registry];
  return {
    judgeEvaluations: new Counter({
      name: "assay_judge_evaluations_total",
      help: "Attempts at judgements by outcome.",
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
      help: "Cost of judging at the orgs' prices, in US dollars.",
      registers,
    }),
  };
}

function rehearsalMetrics(registry: Registry) {
  const registers = [registry];
  return {
    rehearsalRequests: new Counter({
      name: "assay_rehearsal_requests_total",
      help: "Attempts at requests of rehearsals by kind and outcome.",
      labelNames: ["kind", "outcome"],
      registers,
    }),
    rehearsalCostUsd: new Counter({
      name: "assay_rehearsal_cost_usd_total",
      help: "Cost of rehearsals at the orgs' prices, in US dollars.",
      registers,
    }),
  };
}
