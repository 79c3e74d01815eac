import {
  monthOf,
  type Rehearsal,
  type RehearsalRequest,
  type RehearsalTask,
  rehearsalJudgeVersion,
} from "@assay/domain";
import type { Deps } from "../deps.ts";
import { ClaimPool, type ClaimRequest } from "../judging/claim-pool.ts";
import { createGroupCommit } from "../judging/group-commit.ts";
import { judgeAllowanceUsed, judgeLock, loadJudgeAllowance } from "../judging/judge-allowance.ts";
import type { JudgeEndpoint } from "../judging/judge-endpoint.ts";
import { JudgeGate } from "../judging/judge-gate.ts";
import type { AnswerEndpoint } from "./answer-endpoint.ts";
import { askRequest } from "./ask-request.ts";
import {
  loadRehearsalQuestions,
  type RehearsalAttempt,
  type RehearsalQuestion,
} from "./rehearsal-questions.ts";
import { createLooks } from "./stop-when-enough.ts";

/** Concurrent requests for answers. The same number may go to the judge, which also judges experiments meanwhile. */
export const REHEARSAL_CONCURRENCY = 16;
/** Rehearsals that one claim looks at. */
const SERVED = 50;
/** After this many rejected requests of an arm in a row, its rehearsal pauses: the model or parameters are wrong. */
const MAX_REJECTED = 10;

/** The limit for all orgs together. Each org's gate says how much of it the org may use. */
const ALL_ORGS = { width: REHEARSAL_CONCURRENCY, opensAt: 0 };

type Pool = ClaimPool<RehearsalTask, RehearsalQuestion, RehearsalAttempt>;

interface Line {
  readonly kinds: readonly RehearsalRequest["kind"][];
  /** By org: a limit of one org's models holds up no other org. */
  readonly gates: Map<string, JudgeGate>;
  /** Whether the last claim found nothing. */
  isDry: boolean;
}

export type RehearsalPoolDeps = Pick<
  Deps,
  "control" | "pipeline" | "plans" | "clock" | "newId" | "log" | "metrics"
> & {
  readonly answers: AnswerEndpoint;
  readonly judge: JudgeEndpoint;
};

/** Makes the requests of running rehearsals of all orgs: answers and judgements in parallel, so neither endpoint waits. */
export class RehearsalPool {
  readonly #deps: RehearsalPoolDeps;
  readonly #lines: readonly { readonly line: Line; readonly pool: Pool }[];
  readonly #closing = new AbortController();
  readonly #commit;
  readonly #looks: ReturnType<typeof createLooks>;
  /** Rejected requests in a row, by rehearsal and arm. */
  readonly #rejected = new Map<string, number>();

  constructor(deps: RehearsalPoolDeps) {
    const { control, log } = deps;
    this.#deps = deps;
    this.#looks = createLooks(deps);
    this.#commit = createGroupCommit({
      ...{ log, closing: this.#closing.signal, what: "requests of rehearsals" },
      write: control.rehearsals.settleAll,
      lost: { isMine: false, isInputFinished: false },
    });
    this.#lines = [this.#open(["answer"]), this.#open(["judgement", "score"])];
  }

  /** Looks for requests now. */
  wake(): void {
    for (const { line, pool } of this.#lines) {
      line.isDry = false;
      pool.pump();
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#lines.map(({ pool }) => pool.close()));
  }

  #open(kinds: Line["kinds"]) {
    const { control } = this.#deps;
    const line: Line = { kinds, gates: new Map(), isDry: false };
    const pool: Pool = new ClaimPool(
      {
        // Claimed requests are made at once: waiting ones would reserve a part of the budget and continue after a pause.
        wanted: ({ width, active, ready }) => (line.isDry || ready > 0 ? 0 : width - active),
        claim: (request) => this.#claim(line, request),
        load: (tasks) => loadRehearsalQuestions(tasks, this.#deps),
        ask: (question, signal) => this.#ask(line, question, signal),
        settle: (task, attempt) => this.#settle(task, attempt),
        renew: (claims, leaseUntil) => control.rehearsals.renew(claims, leaseUntil),
        release: (tasks) => control.rehearsals.release(tasks),
        onPump: () => undefined,
        onClaimFailed: () => {
          line.isDry = true;
        },
      },
      {
        ...{ ...this.#deps, gate: ALL_ORGS, task: "rehearsing", what: "requests of rehearsals" },
        onWake: () => this.wake(),
      },
    );
    return { line, pool };
  }

  async #claim(line: Line, request: ClaimRequest): Promise<readonly RehearsalTask[]> {
    const { control } = this.#deps;
    // Before the look: what arrives meanwhile looks again.
    line.isDry = true;
    const tasks: RehearsalTask[] = [];
    for (const rehearsal of await control.rehearsals.listRunning(SERVED)) {
      const open = this.#openTo(line, rehearsal, tasks);
      const limit =
        open > 0 ? Math.min(request.limit - tasks.length, open, await this.#allowed(line, rehearsal)) : 0;
      if (limit > 0)
        tasks.push(...(await control.rehearsals.claim(rehearsal, { ...request, kinds: line.kinds, limit })));
      if (tasks.length === request.limit) break;
    }
    if (tasks.length > 0) line.isDry = false;
    return tasks;
  }

  /** How many more requests the gate of the rehearsal's org allows. `tasks` were just claimed. */
  #openTo(line: Line, { orgId }: Rehearsal, tasks: readonly RehearsalTask[]): number {
    const gate = this.#gateOf(line, orgId);
    const pool = this.#lines.find((one) => one.line === line)?.pool;
    if (gate.width === 0) pool?.wakeAt(gate.opensAt);
    const held = [...(pool?.held ?? []), ...tasks];
    return gate.width - held.filter(({ rehearsal }) => rehearsal.orgId === orgId).length;
  }

  #gateOf({ gates }: Line, orgId: string): JudgeGate {
    const gate = gates.get(orgId) ?? new JudgeGate(this.#deps.clock, REHEARSAL_CONCURRENCY);
    gates.set(orgId, gate);
    return gate;
  }

  /** How many requests of a rehearsal may be made now. Judgements need its judge and the rest of the month's evaluations. */
  async #allowed({ kinds }: Line, rehearsal: Rehearsal): Promise<number> {
    if (kinds.includes("answer")) return Number.POSITIVE_INFINITY;
    const { judge, plans } = this.#deps;
    if (rehearsalJudgeVersion(judge.model, rehearsal.plan.judge) !== rehearsal.judgeVersion) {
      await this.#noteFault(
        rehearsal,
        `The rehearsal began with the judge ${rehearsal.judgeVersion}, which this installation no longer has: stop the rehearsal and start another one, or set ASSAY_JUDGE_MODEL to ${rehearsal.judgeModel} again.`,
      );
      return 0;
    }
    if (!plans.isEnforced) return Number.POSITIVE_INFINITY;
    const allowed = await loadJudgeAllowance(rehearsal.orgId, this.#deps);
    const inFlight = this.#lines
      .flatMap(({ pool }) => [...pool.held])
      .filter(({ kind, rehearsal: { orgId } }) => kind !== "answer" && orgId === rehearsal.orgId).length;
    const left = (allowed.allowance ?? Number.POSITIVE_INFINITY) - allowed.used - inFlight;
    const refusal = judgeLock(allowed) ?? judgeAllowanceUsed(allowed);
    if (refusal !== null) await this.#noteFault(rehearsal, refusal);
    return Math.max(0, left);
  }

  async #ask(line: Line, question: RehearsalQuestion, signal: AbortSignal): Promise<RehearsalAttempt | null> {
    const { rehearsal } = question.task;
    const gate = this.#gateOf(line, rehearsal.orgId);
    const attempt = await askRequest(question, { ...this.#deps, gate, signal });
    if (attempt !== null && "outcome" in attempt) return attempt;
    if (attempt !== null) await this.#pause(rehearsal, attempt.unserved);
    else if (gate.fault !== null) await this.#noteFault(rehearsal, gate.fault.detail);
    return null;
  }

  async #settle(task: RehearsalTask, { outcome, usage }: RehearsalAttempt): Promise<void> {
    const { clock, metrics } = this.#deps;
    const at = clock.now();
    const { isMine, isInputFinished } = await this.#commit.settle({
      ...{ task, outcome, usage, at, month: monthOf(at) },
    });
    metrics.rehearsalRequests.inc({ kind: task.kind, outcome: isMine ? outcome.kind : "lost" });
    metrics.rehearsalCostUsd.inc(usage?.costUsd ?? 0);
    if (outcome.kind === "postponed") this.#lines[0]?.pool.wakeAt(outcome.notBefore);
    await this.#countRejected(task, outcome);
    if (isInputFinished) void this.#looks.note(task.rehearsal);
    // An answer makes judgements possible, and any finished request makes room in the budget.
    if (this.#lines.some(({ line }) => line.isDry)) this.wake();
  }

  async #countRejected({ rehearsal, kind, arm }: RehearsalTask, outcome: RehearsalAttempt["outcome"]) {
    const key = `${rehearsal.id} ${kind === "answer" ? arm : "judge"}`;
    if (outcome.kind === "postponed") return;
    if (outcome.kind !== "failed" || outcome.cause !== "rejected") {
      this.#rejected.delete(key);
      return;
    }
    const count = (this.#rejected.get(key) ?? 0) + 1;
    this.#rejected.set(key, count);
    if (count < MAX_REJECTED) return;
    this.#rejected.delete(key);
    await this.#pause(rehearsal, `${MAX_REJECTED} requests in a row were rejected. ${outcome.detail}`);
  }

  /** Pauses a rehearsal that cannot go on until somebody changes something. */
  async #pause(rehearsal: Rehearsal, fault: string): Promise<void> {
    const { control, clock } = this.#deps;
    const { orgId, id } = rehearsal;
    await control.transaction(async ({ rehearsals }) => {
      if ((await rehearsals.lock(orgId, id)).state !== "running") return;
      await rehearsals.move(rehearsal, { state: "paused", endedBecause: null, at: clock.now() });
      await rehearsals.setFault(rehearsal, fault, clock.now());
    });
  }

  /** Notes why a rehearsal does not continue. If the note cannot be stored, the other rehearsals still go on. */
  async #noteFault(rehearsal: Rehearsal, fault: string): Promise<void> {
    const { control, clock, log } = this.#deps;
    await control.rehearsals
      .setFault(rehearsal, fault, clock.now())
      .catch((error: unknown) => log.warn({ err: error }, "could not store why a rehearsal waits"));
  }
}
