import type { Clock } from "@assay/domain";
import type { Logger } from "pino";
import { runAs } from "../current-work.ts";
import type { JudgeGate } from "./judge-gate.ts";
import { WakeTimer } from "./wake-timer.ts";

/** When a process dies, its claims in a shared database expire after this. */
const LEASE_MS = 60_000;
const RENEW_MS = 15_000;
const RETRY_MS = 5_000;

export interface ClaimRequest {
  readonly now: number;
  readonly leaseUntil: number;
  readonly limit: number;
  readonly claim: string;
}

/** A task's outcome that is known without a request. */
interface Known<Task, Attempt> {
  readonly task: Task;
  readonly attempt: Attempt;
}

/** What a pool works on: requests to an endpoint, which are claimed in the control plane. */
export interface ClaimSource<Task, Question, Attempt> {
  /** How many tasks to claim now, 0 for none. `width`: how many may be in flight. */
  wanted(state: { readonly width: number; readonly active: number; readonly ready: number }): number;
  claim(request: ClaimRequest): Promise<readonly Task[]>;
  /** Makes questions from claimed tasks. */
  load(tasks: readonly Task[]): Promise<{
    readonly questions: readonly Question[];
    readonly known: readonly Known<Task, Attempt>[];
  }>;
  /** Asks the endpoint; null when it accepts no requests, or the signal is aborted. */
  ask(question: Question, signal: AbortSignal): Promise<Attempt | null>;
  /** Stores an outcome. */
  settle(task: Task, attempt: Attempt): Promise<void>;
  renew(claims: readonly string[], leaseUntil: number): Promise<void>;
  release(tasks: readonly Task[]): Promise<void>;
  /** Called before the pool looks for work. */
  onPump(): void;
  /** Called when tasks could not be claimed, or their questions could not be made. */
  onClaimFailed(): void;
}

interface PoolDeps {
  readonly clock: Clock;
  readonly newId: () => string;
  readonly log: Logger;
  readonly gate: Pick<JudgeGate, "width" | "opensAt">;
  /** The task that its log lines and spans belong to. */
  readonly task: string;
  /** What is claimed, for the log: "judgements". */
  readonly what: string;
}

/** Makes the requests for claimed tasks, as many at a time as the gate allows, and sleeps while there is nothing to do. */
export class ClaimPool<
  Task extends { readonly claim: string },
  Question extends { readonly task: Task },
  Attempt,
> {
  readonly #source: ClaimSource<Task, Question, Attempt>;
  readonly #deps: PoolDeps;
  /** Wakes the pool after pauses, and for postponed tasks. */
  readonly #wakeTimer: WakeTimer;
  readonly #closing = new AbortController();
  /** Claimed and not finished. */
  readonly #held = new Set<Task>();
  readonly #active = new Set<Promise<void>>();
  /** One per request, because listeners on a signal of the whole process would pile up. */
  readonly #aborts = new Set<AbortController>();
  #ready: Question[] = [];
  /** When the lease of each claim expires, as last confirmed by the database. */
  readonly #leases = new Map<string, number>();
  readonly #renewing: NodeJS.Timeout;
  #refill: Promise<void> | null = null;

  constructor(
    source: ClaimSource<Task, Question, Attempt>,
    deps: PoolDeps & { readonly onWake: () => void },
  ) {
    this.#source = source;
    this.#deps = deps;
    this.#wakeTimer = new WakeTimer(deps.clock, deps.onWake);
    this.#renewing = setInterval(() => void this.#renew(), RENEW_MS).unref();
  }

  get held(): ReadonlySet<Task> {
    return this.#held;
  }

  /** Aborted once the pool is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Looks for work now. Its log lines and spans do not belong to the caller. */
  pump(): void {
    runAs({ task: this.#deps.task }, () => this.#pump());
  }

  wakeAt(at: number): void {
    this.#wakeTimer.wakeAt(at);
  }

  /** Stops claiming, aborts the questions in flight and releases their claims. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#renewing);
    for (const abort of this.#aborts) abort.abort();
    this.#wakeTimer.clear();
    await this.#refill;
    await this.#releaseReady();
    await Promise.all(this.#active);
  }

  #pump(): void {
    if (this.#closing.signal.aborted) return;
    this.#source.onPump();
    const { gate } = this.#deps;
    const { width } = gate;
    if (width === 0) {
      this.#wakeTimer.wakeAt(gate.opensAt);
      void this.#releaseReady();
      return;
    }
    while (this.#active.size < width) {
      const next = this.#ready.shift();
      if (next === undefined) break;
      this.#start(next);
    }
    if (this.#refill !== null) return;
    const limit = this.#source.wanted({ width, active: this.#active.size, ready: this.#ready.length });
    if (limit > 0) this.#startRefill(limit);
  }

  #start(question: Question): void {
    const work = this.#work(question)
      .catch((error: unknown) => {
        const { log, what } = this.#deps;
        log.error({ err: error }, `one of the ${what} failed; it is retried when its claim expires`);
      })
      .finally(() => {
        this.#active.delete(work);
        this.#held.delete(question.task);
        this.#pump();
      });
    this.#active.add(work);
  }

  async #work(question: Question): Promise<void> {
    const { task } = question;
    const isMine = (this.#leases.get(task.claim) ?? 0) > this.#deps.clock.now();
    const attempt = isMine ? await this.#ask(question) : null;
    if (attempt === null) await this.#release([task]);
    else await this.#settle({ task, attempt });
  }

  async #ask(question: Question): Promise<Attempt | null> {
    const abort = new AbortController();
    this.#aborts.add(abort);
    try {
      return await this.#source.ask(question, abort.signal);
    } finally {
      this.#aborts.delete(abort);
    }
  }

  async #settle({ task, attempt }: Known<Task, Attempt>): Promise<void> {
    await this.#source.settle(task, attempt);
    this.#held.delete(task);
  }

  #startRefill(limit: number): void {
    const { log, clock, what } = this.#deps;
    this.#refill = this.#claim(limit)
      .catch((error: unknown) => {
        log.warn({ err: error }, `could not claim ${what}; the claim is retried`);
        this.#source.onClaimFailed();
        this.#wakeTimer.wakeAt(clock.now() + RETRY_MS);
      })
      .finally(() => {
        this.#refill = null;
        this.#pump();
      });
  }

  async #claim(limit: number): Promise<void> {
    const { clock, newId } = this.#deps;
    const now = clock.now();
    const leaseUntil = now + LEASE_MS;
    const claim = newId();
    const tasks = await this.#source.claim({ now, leaseUntil, limit, claim });
    if (tasks.length === 0) return;
    try {
      this.#leases.set(claim, leaseUntil);
      await this.#load(tasks);
    } catch (error) {
      await this.#release(tasks);
      throw error;
    }
  }

  async #load(tasks: readonly Task[]): Promise<void> {
    const { questions, known } = await this.#source.load(tasks);
    for (const task of tasks) this.#held.add(task);
    this.#ready.push(...questions);
    await Promise.all(known.map((one) => this.#settle(one)));
  }

  /** Renews the leases, so that they can be short. If one expires, another process asks its remaining questions. */
  async #renew(): Promise<void> {
    const { clock, log, what } = this.#deps;
    const now = clock.now();
    for (const [claim, until] of this.#leases) if (until <= now) this.#leases.delete(claim);
    const held = new Set([...this.#held].map(({ claim }) => claim));
    const leaseUntil = now + LEASE_MS;
    try {
      await this.#source.renew([...held], leaseUntil);
      for (const claim of held) this.#leases.set(claim, leaseUntil);
    } catch (error) {
      const claims = held.size;
      log.warn({ err: error, claims }, `could not renew the claims of ${what}; the renewal is retried`);
    }
  }

  #releaseReady(): Promise<void> {
    return this.#release(this.#ready.splice(0).map(({ task }) => task));
  }

  /** Releases claims. One that cannot be released expires by itself. */
  async #release(tasks: readonly Task[]): Promise<void> {
    for (const task of tasks) this.#held.delete(task);
    if (tasks.length === 0) return;
    const { log, what } = this.#deps;
    await this.#source.release(tasks).catch((error: unknown) => {
      log.warn({ err: error, tasks: tasks.length }, `could not release claimed ${what}`);
    });
  }
}
