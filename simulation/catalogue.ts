import type { Section } from "./harness/section.ts";
import { autoTest } from "./sections/auto-test.ts";
import { costPerTask } from "./sections/cost-per-task.ts";
import { coverage } from "./sections/coverage.ts";
import { cuped } from "./sections/cuped.ts";
import { earlyStop } from "./sections/early-stop.ts";
import { falsePositives } from "./sections/false-positives.ts";
import { forbiddenMethods } from "./sections/forbidden-methods.ts";
import { guard } from "./sections/guard.ts";
import { heavyCallers } from "./sections/heavy-callers.ts";
import { judge } from "./sections/judge.ts";
import { looks } from "./sections/looks.ts";
import { lostTraces } from "./sections/lost-traces.ts";
import { manyMetrics } from "./sections/many-metrics.ts";
import { powerSection } from "./sections/power.ts";
import { quantileBins } from "./sections/quantile-bins.ts";
import { rareLabels } from "./sections/rare-labels.ts";
import { rareLooks } from "./sections/rare-looks.ts";
import { rehearsals } from "./sections/rehearsals.ts";
import { sampledCalls } from "./sections/sampled-calls.ts";
import { skewedMargins } from "./sections/skewed-margins.ts";
import { trafficSplit } from "./sections/traffic-split.ts";
import { units } from "./sections/units.ts";
import { wholeExperiments } from "./sections/whole-experiments.ts";

/** All simulated chapters of the report, in order. */
export const SECTIONS: readonly Section[] = [
  falsePositives,
  autoTest,
  forbiddenMethods,
  coverage,
  powerSection,
  earlyStop,
  manyMetrics,
  looks,
  rareLooks,
  cuped,
  quantileBins,
  heavyCallers,
  judge,
  rareLabels,
  rehearsals,
  skewedMargins,
  trafficSplit,
  guard,
  lostTraces,
  sampledCalls,
  units,
  costPerTask,
  wholeExperiments,
];
