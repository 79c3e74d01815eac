import { Problem } from "../../../api/problem.ts";

/** A label that is not stored yet. */
export interface UnsentLabel {
  readonly experimentId: string;
  readonly metric: string;
  readonly eventId: string;
  readonly score: number | null;
  readonly note: string;
}

export interface OutboxState {
  /** In the order they were made. */
  readonly unsent: readonly UnsentLabel[];
  /** Why the last attempt failed; null: it did not. */
  readonly problem: Problem | null;
  /** Labels that the service refused, with the reasons. */
  readonly refused: readonly { readonly label: UnsentLabel; readonly reason: string }[];
  /** Number of labels stored since the page was loaded. */
  readonly stored: number;
}

export interface OutboxDeps {
  /** @throws {Problem} when the label was not stored. */
  readonly send: (label: UnsentLabel) => Promise<unknown>;
  /** Reads the labels that a previous page could not send. */
  readonly read: () => readonly UnsentLabel[];
  readonly write: (unsent: readonly UnsentLabel[]) => void;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** Sends labels in order and keeps them until they are stored, so that a lost connection loses none. */
export class LabelOutbox {
  readonly #deps: OutboxDeps;
  readonly #listeners = new Set<() => void>();
  #state: OutboxState;
  #isSending = false;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
    this.#state = { unsent: deps.read(), problem: null, refused: [], stored: 0 };
    this.#drain();
  }

  readonly state = (): OutboxState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Adds a label; it replaces an unsent one of the same call. */
  add(label: UnsentLabel): void {
    this.#become({ unsent: [...this.#without(label), label] });
    this.#drain();
  }

  /** Sends unsent labels now. */
  retry(): void {
    this.#drain();
  }

  dismissRefused(): void {
    this.#become({ refused: [] });
  }

  #without(label: UnsentLabel): readonly UnsentLabel[] {
    return this.#state.unsent.filter(
      ({ experimentId, metric, eventId }) =>
        experimentId !== label.experimentId || metric !== label.metric || eventId !== label.eventId,
    );
  }

  async #drain(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    clearTimeout(this.#timer);
    for (let [label] = this.#state.unsent; label !== undefined; [label] = this.#state.unsent) {
      const problem = await this.#send(label);
      if (problem !== null && isTransient(problem)) {
        this.#postpone(problem);
        break;
      }
      this.#settle(label, problem);
    }
    this.#isSending = false;
  }

  /** Null: it is stored. */
  async #send(label: UnsentLabel): Promise<Problem | null> {
    try {
      await this.#deps.send(label);
      return null;
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    }
  }

  #settle(sent: UnsentLabel, problem: Problem | null): void {
    this.#failures = 0;
    // Compared by identity, because a newer label of the same call may have replaced it meanwhile.
    const unsent = this.#state.unsent.filter((label) => label !== sent);
    const { refused, stored } = this.#state;
    this.#become(
      problem === null
        ? { unsent, problem: null, stored: stored + 1 }
        : { unsent, problem: null, refused: [...refused, { label: sent, reason: problem.message }] },
    );
  }

  #postpone(problem: Problem): void {
    const backoff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#timer = setTimeout(() => this.#drain(), Math.max(backoff, 1000 * (problem.retryAfterSeconds ?? 0)));
    this.#become({ problem });
  }

  #become(change: Partial<OutboxState>): void {
    this.#state = { ...this.#state, ...change };
    if (change.unsent !== undefined) this.#deps.write(change.unsent);
    for (const listener of this.#listeners) listener();
  }
}

/** Returns whether a failure may pass: no answer, too many requests, a server error, or an ended session. */
function isTransient({ status }: Problem): boolean {
  return status === 0 || status === 401 || status === 408 || status === 429 || status >= 500;
}
