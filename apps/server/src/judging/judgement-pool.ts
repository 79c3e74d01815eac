import { type JudgementTask, monthOf, type SettledJudgement } from "@assay/domain";
import type { Deps } from "../deps.ts";
import { askJudge } from "./ask-judge.ts";
import { ClaimPool, type ClaimRequest } from "./claim-pool.ts";
import { createGroupCommit } from "./group-commit.ts";
import { splitByAllowance } from "./judge-allowance.ts";
import type { JudgeEndpoint } from "./judge-endpoint.ts";
import { CONCURRENCY, JudgeGate } from "./judge-gate.ts";
import { loadQuestions, type Question } from "./load-questions.ts";
import { ScoreRate } from "./score-rate.ts";

/** Judgements per claim, whose texts are one query. The next batch is loaded when only `LOW_WATER` questions are left. */
const BATCH = 128;
const LOW_WATER = 64;

export type PoolDeps = Pick<Deps, "control" | "events" | "plans" | "clock" | "newId" | "log" | "metrics"> & {
  readonly endpoint: JudgeEndpoint;
  /** The only experiment to judge, whose evaluations are not metered. When absent: all experiments except demos. */
  readonly onlyId?: string;
  /** Judges only what somebody is waiting for. Other processes judge the rest. */
  readonly isAsked?: boolean;
};

/** An experiment that somebody waits for: it is judged first. */
interface Focus {
  isDry: boolean;
  readonly resolve: () => void;
}

type Attempt = Omit<SettledJudgement, "at">;

/** Has the drawn calls of all orgs judged, up to 32 at a time. */
export class JudgementPool {
  readonly #deps: PoolDeps;
  readonly #gate: JudgeGate;
  readonly #rate: ScoreRate;
  readonly #groupCommit;
  readonly #focuses = new Map<string, Focus>();
  readonly #pool: ClaimPool<JudgementTask, Question, Attempt>;
  /** Whether the last claim found nothing. */
  #isDry = false;

  constructor(deps: PoolDeps) {
    const { control, log, clock } = deps;
    this.#deps = deps;
    this.#gate = new JudgeGate(clock, CONCURRENCY);
    this.#rate = new ScoreRate(clock);
    this.#pool = new ClaimPool<JudgementTask, Question, Attempt>(
      {
        wanted: ({ width, ready }) => this.#wanted(width, ready),
        claim: (request) => this.#claim(request),
        load: (tasks) => this.#load(tasks),
        ask: (question, signal) => askJudge(question, { ...deps, gate: this.#gate, signal }),
        settle: (task, attempt) => this.#settle(task, { ...attempt, at: clock.now() }),
        renew: (claims, leaseUntil) => control.judgements.renew(claims, leaseUntil),
        release: (tasks) => control.judgements.release(tasks),
        onPump: () => this.#resolveFocuses(),
        onClaimFailed: () => this.#giveUp(),
      },
      { ...deps, gate: this.#gate, task: "judging", what: "judgements", onWake: () => this.wake() },
    );
    this.#groupCommit = createGroupCommit({
      ...{ log, closing: this.#pool.closing, what: "judgements", lost: false },
      write: control.judgements.settleAll,
    });
  }

  get fault() {
    return this.#gate.fault;
  }

  get perMinute(): number {
    return this.#rate.perMinute();
  }

  /** Looks for judgements now. */
  wake(): void {
    this.#isDry = false;
    this.#pool.pump();
  }

  /** Judges an experiment first. Resolves when none of it can be judged now, when the judge fails, or on `signal`. */
  async finish(experimentId: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#pool.closing.aborted) return;
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const resolve = () => end();
    this.#focuses.get(experimentId)?.resolve();
    const focus = { isDry: false, resolve };
    this.#focuses.set(experimentId, focus);
    signal.addEventListener("abort", resolve, { once: true });
    this.#pool.pump();
    await promise;
    signal.removeEventListener("abort", resolve);
    if (this.#focuses.get(experimentId) === focus) this.#focuses.delete(experimentId);
  }

  async close(): Promise<void> {
    for (const { resolve } of this.#focuses.values()) resolve();
    await this.#pool.close();
  }

  #resolveFocuses(): void {
    if (this.#focuses.size === 0) return;
    const busy = new Set([...this.#pool.held].map(({ experimentId }) => experimentId));
    for (const [id, { isDry, resolve }] of this.#focuses)
      if (this.#gate.fault !== null || (isDry && !busy.has(id))) resolve();
  }

  #giveUp(): void {
    this.#isDry = true;
    for (const { resolve } of this.#focuses.values()) resolve();
  }

  #nextFocus() {
    return [...this.#focuses].find(([, { isDry }]) => !isDry);
  }

  #wanted(width: number, ready: number): number {
    if (ready >= Math.min(LOW_WATER, 2 * width)) return 0;
    if (this.#nextFocus() === undefined && (this.#isDry || this.#deps.isAsked)) return 0;
    return Math.min(BATCH, 4 * width);
  }

  async #claim(request: ClaimRequest): Promise<readonly JudgementTask[]> {
    const focus = this.#nextFocus();
    const experimentId = focus?.[0] ?? this.#deps.onlyId;
    const only = experimentId === undefined ? {} : { experimentId };
    const tasks = await this.#deps.control.judgements.claim({ ...request, ...only });
    if (tasks.length > 0) return tasks;
    if (focus === undefined) this.#isDry = true;
    else focus[1].isDry = true;
    return tasks;
  }

  async #load(tasks: readonly JudgementTask[]) {
    const inFlight = (orgId: string) => [...this.#pool.held].filter((task) => task.orgId === orgId).length;
    const { model } = this.#deps.endpoint;
    const { questions, settled } = await loadQuestions(tasks, { ...this.#deps, model });
    const { paid, waiting } = await splitByAllowance(questions, inFlight, this.#deps);
    const known = [...settled, ...waiting];
    return {
      questions: paid,
      known: known.map(({ task, outcome }) => ({ task, attempt: { outcome, usage: null } })),
    };
  }

  async #settle(task: JudgementTask, settled: SettledJudgement): Promise<void> {
    const { metrics, onlyId } = this.#deps;
    const { outcome, usage } = settled;
    const metered = onlyId === undefined ? settled : { ...settled, usage: null };
    const month = monthOf(settled.at);
    const isMine = await this.#groupCommit.settle({ task, settled: { ...metered, month } });
    metrics.judgeEvaluations.inc({ outcome: isMine ? outcome.kind : "lost" });
    metrics.judgeCostUsd.inc(usage?.costUsd ?? 0);
    if (outcome.kind === "scored") this.#rate.note();
    if (outcome.kind === "postponed") this.#pool.wakeAt(outcome.notBefore);
  }
}
