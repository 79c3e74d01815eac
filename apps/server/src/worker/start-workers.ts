import { hasRubricMetric } from "@assay/domain";
import type { Settings } from "../settings.ts";
import type { Teardown } from "../teardown.ts";
import { startQueueDrain } from "./drain-queue.ts";
import { dueNights, NIGHT_INTERVAL_MS } from "./due-nights.ts";
import { standForLead, type WorkerDeps } from "./lead.ts";
import { repeat } from "./repeat.ts";
import { waitForDrain } from "./wait-for-drain.ts";

const METER_INTERVAL_MS = 15_000;
const JUDGING_INTERVAL_MS = 30_000;
const JUDGE_REPORT_INTERVAL_MS = 10_000;
const KEY_USE_INTERVAL_MS = 60_000;
const SECURITY_INTERVAL_MS = 60_000;
const SHUTDOWN_DRAIN_MS = 10_000;

/** Starts the background work of a process with this role; `teardown` stops it in order. */
export function startWorkers(settings: Settings, deps: WorkerDeps, teardown: Teardown): void {
  if (settings.role !== "api") startWork(settings, deps, teardown);
  if (settings.role === "worker") return;
  keepKeyUses(deps, teardown);
  keepSecurityLog(deps, teardown);
}

function startWork(settings: Settings, deps: WorkerDeps, teardown: Teardown): void {
  const { log, meter, judging, rehearsing } = deps;
  // After a crash, the last stored events are not counted yet.
  meter.touchAll();
  const drain = startQueueDrain(deps);
  teardown.add(async () => {
    // No other process reads an embedded queue.
    if (settings.queueUrls === null) await waitForDrain(SHUTDOWN_DRAIN_MS, deps);
    await drain.stop();
    // Count the last batches too: no other process knows about them.
    await meter
      .run()
      .catch((error: unknown) => log.warn({ err: error }, "could not count the last stored events"));
  }, "the queue's drain");
  const runNights = dueNights((experiment) => !hasRubricMetric(experiment), settings, deps);
  const tasks = [
    repeat("nights", NIGHT_INTERVAL_MS, runNights, log),
    repeat("meter", METER_INTERVAL_MS, () => meter.run(), log),
    repeat("judging", JUDGING_INTERVAL_MS, async () => judging.wake(), log),
    repeat("rehearsing", JUDGING_INTERVAL_MS, async () => rehearsing.wake(), log),
    repeat("judge-report", JUDGE_REPORT_INTERVAL_MS, () => judging.report(), log),
  ];
  const campaign = standForLead(settings, deps);
  teardown.add(async () => {
    await Promise.all([campaign.stop(), ...tasks.map((task) => task.stop())]);
  }, "background tasks");
}

function keepKeyUses({ keyUses, log }: WorkerDeps, teardown: Teardown): void {
  const keeping = repeat("key-use", KEY_USE_INTERVAL_MS, () => keyUses.flush(), log);
  teardown.add(async () => {
    await keeping.stop();
    await keyUses
      .flush()
      .catch((error: unknown) => log.warn({ err: error }, "could not store when keys were last used"));
  }, "key uses");
}

function keepSecurityLog({ security, log }: WorkerDeps, teardown: Teardown): void {
  const keeping = repeat("security-log", SECURITY_INTERVAL_MS, () => security.flush(), log);
  teardown.add(async () => {
    await keeping.stop();
    await security
      .flush()
      .catch((error: unknown) => log.warn({ err: error }, "could not store the last security events"));
  }, "security log");
}
