import type { JudgementTask, SettledJudgement } from "@assay/domain";
import { runAs } from "../current-work.ts";
import type { Deps } from "../deps.ts";
import { type Attempt, askJudge } from "./ask-judge.ts";
import { createGroupCommit, type GroupCommit } from "./group-commit.ts";
import { splitByAllowance } from "./judge-allowance.ts";
import type { JudgeEndpoint } from "./judge-endpoint.ts";
import { JudgeGate } from "./judge-gate.ts";
import { loadQuestions, type Question } from "./load-questions.ts";
import { ScoreRate } from "./score-rate.ts";
import { WakeTimer } from "./wake-timer.ts";

/** Judgements per claim, whose texts are one query. The next batch is loaded when only `LOW_WATER` questions are left. */
const BATCH = 128;
const LOW_WATER = 64;
/** When a process dies, its claims in a shared database expire after this. */
const LEASE_MS = 60_000;
const RENEW_MS = 15_000;
const RETRY_MS = 5_000;
/** The task that its log lines and spans belong to. */
const TASK = { task: "judging" };

export type PoolDeps = Pick<Deps, "control" | "events" | "plans" | "clock" | "newId" | "log" | "metrics"> & {
  readonly endpoint: JudgeEndpoint;
  /** The only experiment to judge, whose evaluations are not metered. When absent: all experiments except demos. */
  readonly onlyId?: string;
  /** Judges only what somebody waits for; other processes judge the rest. */
  readonly isAsked?: boolean;
};

/** An experiment that somebody waits for: it is judged first. */
interface Focus {
  isDry: boolean;
  readonly resolve: () => void;
}

/** Has the drawn calls of all orgs judged, up to 32 at a time, and sleeps while there is nothing to do. */
export class JudgementPool {
  readonly #deps: PoolDeps;
  readonly #gate: JudgeGate;
  readonly #rate: ScoreRate;
  readonly #groupCommit: GroupCommit;
  /** Wakes the pool after pauses, and for postponed judgements. */
  readonly #wakeTimer: WakeTimer;
  readonly #closing = new AbortController();
  readonly #focuses = new Map<string, Focus>();
  /** Claimed and not finished. */
  readonly #held = new Set<JudgementTask>();
  readonly #active = new Set<Promise<void>>();
  /** One per request: listeners on a signal of the whole process would pile up. */
  readonly #aborts = new Set<AbortController>();
  #ready: Question[] = [];
  /** When the lease of each claim expires, as last confirmed by the database. */
  readonly #leases = new Map<string, number>();
  readonly #renewing: NodeJS.Timeout;
  #refill: Promise<void> | null = null;
  /** Whether the last claim found nothing. */
  #isDry = false;

  constructor(deps: PoolDeps) {
    this.#deps = deps;
    this.#gate = new JudgeGate(deps.clock);
    this.#rate = new ScoreRate(deps.clock);
    this.#wakeTimer = new WakeTimer(deps.clock, () => this.wake());
    this.#groupCommit = createGroupCommit({ ...deps, closing: this.#closing.signal });
    this.#renewing = setInterval(() => void this.#renew(), RENEW_MS).unref();
  }

  get fault() {
    return this.#gate.fault;
  }

  get perMinute(): number {
    return this.#rate.perMinute();
  }

  /** Looks for judgements now. Their log lines and spans do not belong to the caller. */
  wake(): void {
    this.#isDry = false;
    runAs(TASK, () => this.#pump());
  }

  /** Judges an experiment first. Resolves when none of it can be judged now, when the judge fails, or on `signal`. */
  async finish(experimentId: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#closing.signal.aborted) return;
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const resolve = () => end();
    this.#focuses.get(experimentId)?.resolve();
    const focus = { isDry: false, resolve };
    this.#focuses.set(experimentId, focus);
    signal.addEventListener("abort", resolve, { once: true });
    runAs(TASK, () => this.#pump());
    await promise;
    signal.removeEventListener("abort", resolve);
    if (this.#focuses.get(experimentId) === focus) this.#focuses.delete(experimentId);
  }

  /** Stops claiming, aborts the questions in flight and releases their claims. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#renewing);
    for (const abort of this.#aborts) abort.abort();
    this.#wakeTimer.clear();
    for (const { resolve } of this.#focuses.values()) resolve();
    await this.#refill;
    await this.#release(this.#ready.splice(0).map(({ task }) => task));
    await Promise.all(this.#active);
  }

  #pump(): void {
    if (this.#closing.signal.aborted) return;
    this.#resolveFocuses();
    const { width } = this.#gate;
    if (width === 0) {
      this.#wakeTimer.wakeAt(this.#gate.opensAt);
      void this.#release(this.#ready.splice(0).map(({ task }) => task));
      return;
    }
    while (this.#active.size < width) {
      const next = this.#ready.shift();
      if (next === undefined) break;
      this.#start(next);
    }
    if (this.#refill === null && this.#ready.length < Math.min(LOW_WATER, 2 * width))
      this.#startRefill(width);
  }

  #resolveFocuses(): void {
    if (this.#focuses.size === 0) return;
    const busy = new Set([...this.#held].map(({ experimentId }) => experimentId));
    for (const [id, { isDry, resolve }] of this.#focuses)
      if (this.#gate.fault !== null || (isDry && !busy.has(id))) resolve();
  }

  #start(question: Question): void {
    const work = this.#judge(question)
      .catch((error: unknown) => {
        this.#deps.log.error({ err: error }, "a judgement failed; it is retried when its claim expires");
      })
      .finally(() => {
        this.#active.delete(work);
        this.#held.delete(question.task);
        this.#pump();
      });
    this.#active.add(work);
  }

  async #judge(question: Question): Promise<void> {
    const { task } = question;
    const isMine = (this.#leases.get(task.claim) ?? 0) > this.#deps.clock.now();
    const attempt = isMine ? await this.#ask(question) : null;
    if (attempt === null) await this.#release([task]);
    else await this.#settle(task, { ...attempt, at: this.#deps.clock.now() });
  }

  async #ask(question: Question): Promise<Attempt | null> {
    const abort = new AbortController();
    this.#aborts.add(abort);
    try {
      return await askJudge(question, { ...this.#deps, gate: this.#gate, signal: abort.signal });
    } finally {
      this.#aborts.delete(abort);
    }
  }

  async #settle(task: JudgementTask, settled: SettledJudgement): Promise<void> {
    const { metrics, onlyId } = this.#deps;
    const { outcome, usage } = settled;
    const isMine = await this.#groupCommit.settle(
      task,
      onlyId === undefined ? settled : { ...settled, usage: null },
    );
    this.#held.delete(task);
    metrics.judgeEvaluations.inc({ outcome: isMine ? outcome.kind : "lost" });
    metrics.judgeCostUsd.inc(usage?.costUsd ?? 0);
    if (outcome.kind === "scored") this.#rate.note();
    if (outcome.kind === "postponed") this.#wakeTimer.wakeAt(outcome.notBefore);
  }

  #startRefill(width: number): void {
    const focus = [...this.#focuses].find(([, { isDry }]) => !isDry);
    if (focus === undefined && (this.#isDry || this.#deps.isAsked)) return;
    this.#refill = this.#claim(Math.min(BATCH, 4 * width), focus)
      .catch((error: unknown) => {
        this.#deps.log.warn({ err: error }, "could not claim judgements; the claim is retried");
        this.#isDry = true;
        for (const { resolve } of this.#focuses.values()) resolve();
        this.#wakeTimer.wakeAt(this.#deps.clock.now() + RETRY_MS);
      })
      .finally(() => {
        this.#refill = null;
        this.#pump();
      });
  }

  async #claim(limit: number, focus: readonly [string, Focus] | undefined): Promise<void> {
    const { control, clock, newId } = this.#deps;
    const now = clock.now();
    const leaseUntil = now + LEASE_MS;
    const experimentId = focus?.[0] ?? this.#deps.onlyId;
    const only = experimentId === undefined ? {} : { experimentId };
    const claim = newId();
    const tasks = await control.judgements.claim({ now, leaseUntil, limit, claim, ...only });
    if (tasks.length === 0) {
      if (focus === undefined) this.#isDry = true;
      else focus[1].isDry = true;
      return;
    }
    try {
      this.#leases.set(claim, leaseUntil);
      await this.#load(tasks);
    } catch (error) {
      await this.#release(tasks);
      throw error;
    }
  }

  async #load(tasks: readonly JudgementTask[]): Promise<void> {
    const inFlight = (orgId: string) => [...this.#held].filter((task) => task.orgId === orgId).length;
    const { questions, settled } = await loadQuestions(tasks, {
      ...this.#deps,
      model: this.#deps.endpoint.model,
    });
    const { paid, waiting } = await splitByAllowance(questions, inFlight, this.#deps);
    for (const task of tasks) this.#held.add(task);
    this.#ready.push(...paid);
    const at = this.#deps.clock.now();
    const known = [...settled, ...waiting];
    await Promise.all(known.map(({ task, outcome }) => this.#settle(task, { outcome, usage: null, at })));
  }

  /** Renews the leases, so that they can be short. One that cannot be renewed expires, and another process asks the questions left. */
  async #renew(): Promise<void> {
    const { control, clock, log } = this.#deps;
    const now = clock.now();
    for (const [claim, until] of this.#leases) if (until <= now) this.#leases.delete(claim);
    const held = new Set([...this.#held].map(({ claim }) => claim));
    const leaseUntil = now + LEASE_MS;
    try {
      await control.judgements.renew([...held], leaseUntil);
      for (const claim of held) this.#leases.set(claim, leaseUntil);
    } catch (error) {
      log.warn(
        { err: error, claims: held.size },
        "could not renew the claims of judgements; the renewal is retried",
      );
    }
  }

  /** Releases claims. One that cannot be released expires by itself. */
  async #release(tasks: readonly JudgementTask[]): Promise<void> {
    for (const task of tasks) this.#held.delete(task);
    if (tasks.length === 0) return;
    await this.#deps.control.judgements.release(tasks).catch((error: unknown) => {
      this.#deps.log.warn({ err: error, judgements: tasks.length }, "could not release claimed judgements");
    });
  }
}
