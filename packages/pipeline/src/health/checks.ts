import {
  CHECK_CODES,
  type CheckCode,
  type HealthCheck,
  type HealthEntry,
  type MetricDefinition,
  type ModelCallField,
} from "@assay/domain";
import { agentRunChecks } from "./agent-runs.ts";
import { attributionChecks } from "./attribution.ts";
import { cacheGapCheck } from "./cache-gap.ts";
import type { HealthFacts } from "./facts.ts";
import { agreementCheck } from "./judge-agreement.ts";
import { backlogCheck, failureCheck } from "./judge-backlog.ts";
import { biasCheck } from "./judge-bias.ts";
import { cutCheck } from "./judge-cut.ts";
import { lengthCheck } from "./judge-length.ts";
import { judgedFacts, worstCheck } from "./judged-facts.ts";
import { lostTracesChecks } from "./lost-traces.ts";
import { qaUsersCheck } from "./qa-users.ts";
import { samplingChecks } from "./sampling.ts";
import { shareChecks } from "./shares.ts";
import { severalVariantsCheck, srmCheck, testUserChecks } from "./split.ts";

/**
 * Checks an experiment's data. Returns the checks in the order of `CHECK_CODES`, passed ones too (docs/health.md). Some checks exist only
 * if they apply: judge checks if a metric is judged, cut transcripts also only if the unit is not the user, QA users if there are any,
 * lost traces if calls arrive by OpenTelemetry, sampled calls if there are some, agents' runs if a metric reads them.
 */
export function experimentHealth(facts: HealthFacts): readonly HealthCheck[] {
  const judged = judgedFacts(facts);
  const checks = [
    srmCheck(facts),
    ...testUserChecks(facts),
    ...lostTracesChecks(facts),
    ...samplingChecks(facts),
    ...shareChecks(facts),
    cacheGapCheck(facts),
    severalVariantsCheck(facts),
    ...attributionChecks(facts),
    ...qaUsersCheck(facts),
    ...agentRunChecks(facts),
    ...(judged.length === 0 ? [] : judgeChecks(facts)).map((check) =>
      worstCheck(judged.map((metric) => check(metric, facts))),
    ),
  ];
  return checks.sort((a, b) => CHECK_CODES.indexOf(a.code) - CHECK_CODES.indexOf(b.code));
}

/** Each check reports the metric with the worst result. Only conversations and runs have transcripts. */
function judgeChecks({ experiment }: HealthFacts) {
  const checks = [backlogCheck, failureCheck, agreementCheck, biasCheck, lengthCheck];
  return experiment.config.unit === "user" ? checks : [...checks, cutCheck];
}

/** Checks whose findings a run reports even at severity `info`, because it leaves something out. */
const REMARKED_AS_INFO: ReadonlySet<CheckCode> = new Set([
  "sampled-calls",
  "unpriced-calls",
  "users-in-several-variants",
  "variant-conflicts",
  "runs-left-out",
  "runs-without-end",
  "test-events",
  "qa-users",
  "assignment-conflicts",
  "ineligible-exposures",
  "outcomes-before-exposure",
  "mixed-sources",
  "misspelt-metrics",
  "superseded-ids",
  "judge-backlog",
  "judge-failures",
]);

/** Checks that matter to a run only if a metric reads one of these fields. All other checks always matter. */
const MATTERS_TO: Partial<Record<CheckCode, readonly ModelCallField[]>> = {
  "missing-usage": ["input_tokens", "output_tokens"],
  "unpriced-calls": ["cost_usd"],
  "cache-hit-gap": ["latency_ms", "time_to_first_token_ms", "cost_usd"],
  // The run already includes them, and imported history is always late.
  "late-events": [],
};

/** Selects the findings that readers of a run over these metrics must know. */
export function checkRemarks(
  checks: readonly HealthCheck[],
  metrics: readonly MetricDefinition[],
): readonly HealthEntry[] {
  const fields = new Set(
    metrics.flatMap(({ source }): readonly string[] =>
      source.event === "model_call" || source.event === "run" ? [source.field] : [],
    ),
  );
  return checks.flatMap(({ code, severity, detail, action }) => {
    if (severity === "ok" || severity === "no-data") return [];
    if (severity === "info" && !REMARKED_AS_INFO.has(code)) return [];
    if (MATTERS_TO[code]?.some((field) => fields.has(field)) === false) return [];
    return [{ code, severity, detail: action === null ? detail : `${detail} ${action}` }];
  });
}
