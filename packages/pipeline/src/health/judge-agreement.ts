import type { ArmAgreement, HealthCheck } from "@assay/domain";
import { agreement } from "../judge/agreement.ts";
import { armShares, type HealthFacts } from "./facts.ts";
import { drawnLabels, type JudgedFacts } from "./judged-facts.ts";
import { byArmText, partText } from "./share-text.ts";

const DISAGREEING_SHARE = 0.2;
/** Fewer mistakes in an arm never alarm. */
const MIN_COUNT = 10;
/** Agreement up to this kappa is fair at best (Landis & Koch 1977). */
const FAIR_KAPPA = 0.4;

const NOBODY = "nobody has labeled a randomly drawn call yet, so it is unknown whether the judge is right.";
const ACTION =
  "Read the disagreements, then sharpen the rubric or use another judge. Either starts a new version of the metric.";

/** Checks how well the judge agrees with people on what passes and what fails. */
export function agreementCheck(metric: JudgedFacts, facts: HealthFacts): HealthCheck {
  const { name, scale } = metric;
  const { overall, arms: byArm } = agreement(drawnLabels(metric), scale);
  const list = Object.entries(byArm).map(([arm, own]) => ({ arm, count: mistakes(own), of: own.labels }));
  const arms = armShares(facts, list);
  const fixed = { measure: "share", threshold: DISAGREEING_SHARE, since: null, arms } as const;
  const base = { code: "judge-agreement", ...fixed } as const;
  if (overall.labels === 0) {
    const action = "Label calls: 50 labels per arm correct the judge.";
    return { ...base, severity: "no-data", detail: `${name}: ${NOBODY}`, action, value: null };
  }
  const isMany = list.some(({ count, of }) => count >= MIN_COUNT && count / of >= DISAGREEING_SHARE);
  const isPoor = overall.ciHigh !== null && overall.ciHigh < FAIR_KAPPA;
  const count = mistakes(overall);
  const share = partText(count, overall.labels, "labeled calls");
  const kappas = Object.entries(byArm).map(([arm, own]) => `${arm} ${kappaText(own)}`);
  return {
    ...base,
    severity: isMany || isPoor ? "warning" : "ok",
    detail: `${name}: judge and people disagree on pass or fail in ${share}${byArmText(arms)}. Kappa: ${kappas.join(", ")}.`,
    action: isMany || isPoor ? ACTION : null,
    value: Math.max(...Object.values(arms).map((arm) => arm.share ?? 0)),
  };
}

function mistakes({ falsePasses, falseFails }: ArmAgreement): number {
  return falsePasses.count + falseFails.count;
}

function kappaText({ kappa, ciLow, ciHigh }: ArmAgreement): string {
  if (kappa === null || ciLow === null || ciHigh === null) return "unknown";
  return `${fixed(kappa)} (95% CI ${fixed(ciLow)} to ${fixed(ciHigh)})`;
}

/** Two decimals; a value that rounds to zero has no sign. */
const fixed = (value: number) => value.toFixed(2).replace(/^-(0\.00)$/, "$1");
