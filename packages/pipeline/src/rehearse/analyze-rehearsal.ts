import {
  REHEARSAL_METRICS,
  type RehearsalFacts,
  type RehearsalMetric,
  type RehearsalReport,
} from "@assay/domain";
import { compareMetric, correctOverReport } from "./compare-metric.ts";
import { findFault } from "./find-fault.ts";
import { giveVerdict, isSettled } from "./give-verdict.ts";
import { indexFacts } from "./index-facts.ts";
import { orderBias } from "./order-bias.ts";
import { pairInputs } from "./paired-inputs.ts";

/**
 * Compares each treatment of a rehearsal with control by the facts so far. Before the end, inputs that are still in progress do not
 * count. Pure: the same facts give the same report.
 */
export function analyzeRehearsal(facts: RehearsalFacts): RehearsalReport {
  const { plan } = facts;
  const known = indexFacts(facts);
  const isPairwise = plan.judge.mode === "pairwise";
  const quality: RehearsalMetric = isPairwise ? "preference" : "score";
  const left = isPairwise ? "score" : "preference";
  const metrics = REHEARSAL_METRICS.filter((metric) => metric !== left);
  const expectedUsers = new Set(facts.items.map(({ cluster }) => cluster)).size;
  const treatments = plan.arms.slice(1).map(({ name }, index) => {
    const inputs = pairInputs(facts, known, index + 1);
    const rows = metrics.map((metric) =>
      compareMetric(metric, { plan, treatment: name, inputs, expectedUsers }),
    );
    return { inputs, rows };
  });
  const bias = isPairwise ? orderBias(facts, known) : null;
  const rows = correctOverReport(treatments.flatMap((own) => own.rows));
  const judged = treatments.map(({ inputs }, index) => {
    const own = rows.slice(index * metrics.length, (index + 1) * metrics.length);
    const rowOf = (name: RehearsalMetric) => own.find(({ metric }) => metric === name)!;
    const fault = findFault({ quality: rowOf(quality), inputs, bias });
    return { plan, quality: rowOf(quality), cost: rowOf("cost_usd"), fault };
  });
  return { verdicts: judged.map(giveVerdict), rows, orderBias: bias, isEnough: judged.every(isSettled) };
}
