import type { Results } from "../../../api/types.ts";
import {
  type DecisionStatus,
  decidedWords,
  isAmong,
  openWords,
  unsettledOf,
} from "../../../format/decision-words.ts";
import { pEquals, percent } from "../../../format/numbers.ts";
import { day } from "../../../format/times.ts";

/** Something that must hold before a variant is shipped. */
export interface ShipCheck {
  readonly state: "met" | "open" | "failed";
  readonly words: string;
}

/** Lists the conditions for shipping a variant: the split, the plan, every margin, alarms, losses and the health of the data. */
export function shipChecks({
  srm,
  decision,
  health,
}: Pick<Results, "srm" | "decision" | "health">): readonly ShipCheck[] {
  const critical = health.filter(({ severity }) => severity === "critical").length;
  return [
    {
      state: srm.status === "passed" ? "met" : "failed",
      words: `Traffic split as planned (${pEquals(srm.p_value)})`,
    },
    ...(decision === null
      ? []
      : [planCheck(decision), ...marginChecks(decision), ...alarmChecks(decision), ...lossChecks(decision)]),
    critical === 0
      ? { state: "met", words: "No critical finding in the data" }
      : {
          state: "failed",
          words:
            critical === 1 ? "A critical finding in the data" : `${critical} critical findings in the data`,
        },
  ];
}

function planCheck(decision: DecisionStatus): ShipCheck {
  const { decided_on, decided_state, look, looks, information, treatment } = decision;
  if (decided_on !== null) {
    const words = `Decided by plan on ${day(decided_on)} (look ${look})`;
    // A decision is no reason to ship if it found nothing better, or a loss besides the gain.
    if (decided_state === null || FOR_SHIPPING.includes(decided_state)) return { state: "met", words };
    return { state: "failed", words: `${words}: ${decidedWords(decided_state, treatment)}` };
  }
  if (looks === "fixed" || information === 0) return { state: "open", words: "The plan has not decided yet" };
  return {
    state: "open",
    words: `The plan has not decided yet: ${percent(information, 2)} of its information`,
  };
}

/** Decisions that a treatment is better. An open margin has its own check. */
const FOR_SHIPPING: readonly DecisionStatus["decided_state"][] = ["ready-to-decide", "better-guardrail-open"];

/** One check per margin, for the treatment that the state names, if any. */
function marginChecks(decision: DecisionStatus): readonly ShipCheck[] {
  const { evidence, treatment } = decision;
  const open = unsettledOf(decision);
  const margins = evidence.filter(({ kind }) => kind === "not-worse");
  const own = treatment === null ? margins : margins.filter((margin) => margin.treatment === treatment);
  const settled = own.filter((margin) => !isAmong(decision.open, margin));
  const unsettled = open.filter((margin) => treatment === null || margin.treatment === treatment);
  if (settled.length + unsettled.length > MOST_MARGINS)
    return countedMargins(settled.length, unsettled.length);
  return [
    ...settled.map(({ metric, treatment: by }) => ({
      state: "met" as const,
      words: `${metric} with ${by} is within its margin`,
    })),
    ...unsettled.map((margin) => ({ state: "open" as const, words: openWords([margin]) })),
  ];
}

/** More margins are counted, not named: the scorecard has them. */
const MOST_MARGINS = 8;

function countedMargins(settled: number, unsettled: number): readonly ShipCheck[] {
  const words = `${settled} of ${settled + unsettled} margins are settled`;
  return [{ state: unsettled === 0 ? "met" : "open", words }];
}

function alarmChecks({ alarms, treatment: about }: DecisionStatus): readonly ShipCheck[] {
  const own = alarms.filter(({ treatment }) => about === null || treatment === about);
  return own.map(({ metric, treatment }) => ({
    state: "failed" as const,
    words: `${metric} is worse with ${treatment}, at any look`,
  }));
}

/** Losses that are no alarm: they may be chance, and must be weighed. */
function lossChecks({ losses, alarms, treatment: about }: DecisionStatus): readonly ShipCheck[] {
  const own = losses.filter((loss) => !isAmong(alarms, loss) && (about === null || loss.treatment === about));
  if (own.length > MOST_LOSSES)
    return [{ state: "failed", words: `${own.length} metrics are significantly worse` }];
  return own.map(({ metric, treatment }) => ({
    state: "failed" as const,
    words: `${metric} is significantly worse with ${treatment}`,
  }));
}

/** More losses are counted, not named: the scorecard has them. */
const MOST_LOSSES = 8;
