import {
  type ControlPlane,
  DAY_MS,
  dayOf,
  type JudgedSeries,
  type JudgementFailure,
  type JudgementOutcome,
  type JudgeUsage,
  monthOf,
} from "@assay/domain";
import type { TestService } from "./test-service.ts";

/** A call as drawn, and what became of it. */
export interface CallToJudge {
  readonly eventId: string;
  readonly arm: string;
  /** Default: one of the call's own. */
  readonly userId?: string;
  /** Epoch milliseconds; default: some day before today. */
  readonly occurredAt?: number;
  /** Null: it waits; a cause: it failed for good. */
  readonly score: number | JudgementFailure | null;
  readonly order?: number;
  readonly isRepeated?: boolean;
  /** The model call failed: nobody is asked. */
  readonly hasFailed?: boolean;
}

export const JUDGE_VERSION = "judge-1@0123456789abcdef";
const USAGE: JudgeUsage = { inputTokens: 100, outputTokens: 10, costUsd: 0.001 };
const LEASE_MS = 60_000;
let plans = 0;

/**
 * Draws calls of a metric in the owner's org and has them judged, through the store of a running service: as its worker does, with no
 * model asked. Every plan is of an earlier day than the one before.
 */
export async function judgeCalls(
  api: TestService,
  { metricVersion = 1, ...of }: Omit<JudgedSeries, "orgId" | "metricVersion"> & Partial<JudgedSeries>,
  calls: readonly CallToJudge[],
): Promise<void> {
  const { org_id: orgId } = (await api.call<{ org_id: string }>("GET", "/v1/whoami")).body;
  const control = api.openControl();
  try {
    await draw(control, { orgId, metricVersion, ...of }, calls);
    await settle(control, of.experimentId, calls);
  } finally {
    await control.close();
  }
}

async function draw(
  { judgements }: ControlPlane,
  series: JudgedSeries,
  calls: readonly CallToJudge[],
): Promise<void> {
  plans += 1;
  const plannedAt = Date.now();
  const planOf = plannedAt - plans * DAY_MS;
  const plan = { ...series, day: dayOf(planOf), judgeVersion: JUDGE_VERSION, calls: {}, plannedAt };
  const drawn = calls.map(
    ({ eventId, arm, isRepeated = false, hasFailed = false, order, ...call }, index) => ({
      ...{ eventId, arm, isRepeated, hasFailed },
      userId: call.userId ?? `user-of-${eventId}`,
      unitId: null,
      occurredAt: call.occurredAt ?? planOf,
      probability: 0.5,
      order: order ?? index,
    }),
  );
  await judgements.putPlan(plan, drawn);
}

async function settle(
  { judgements }: ControlPlane,
  experimentId: string,
  calls: readonly CallToJudge[],
): Promise<void> {
  const at = Date.now();
  const claim = {
    now: at,
    leaseUntil: at + LEASE_MS,
    limit: 10_000,
    claim: crypto.randomUUID(),
    experimentId,
  };
  const byId = new Map(calls.map((call) => [call.eventId, call]));
  for (const task of await judgements.claim(claim)) {
    const { score = null, hasFailed = false } = byId.get(task.eventId) ?? {};
    if (score === null) await judgements.release([task]);
    else
      await judgements.settle(task, {
        outcome: outcomeOf(score),
        usage: hasFailed ? null : USAGE,
        at,
        month: monthOf(at),
      });
  }
}

const outcomeOf = (score: number | JudgementFailure): JudgementOutcome =>
  typeof score === "number"
    ? { kind: "scored", score, reason: `It deserves ${score}.`, answerLength: 20, isCut: false }
    : { kind: "failed", cause: score, detail: "The endpoint said no." };
