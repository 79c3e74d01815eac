import type { Client, ClientCall } from "./client.ts";
import type { EventPayload } from "./event-row.ts";
import { hostOf } from "./framework-host.ts";
import type { FrameworkObserver } from "./model-call/call-record.ts";
import { messagesText } from "./model-call/call-text.ts";
import { fieldAt, textAt } from "./model-call/foreign-value.ts";
import { PendingCall } from "./pending-call.ts";

/** What the AI SDK passes to a model for an attempt. */
interface Attempt {
  readonly params: unknown;
  readonly model: unknown;
}

/** An attempt that failed and may be followed by another. It does not keep the prompt's media. */
interface Failed {
  readonly model: unknown;
  readonly headers: unknown;
  readonly prompt: string;
  readonly identity: EventPayload;
  /** When the first attempt of the call started. */
  readonly startedAt: number;
  readonly attempts: number;
  readonly pauseMs: number;
  readonly pending: PendingCall;
}

type Observe = <T>(attempt: Attempt, call: ClientCall, invoke: () => PromiseLike<T>) => Promise<T>;

/** How much later than its pause an attempt may start, because the AI SDK prepares a stream's prompt anew. */
const PREPARING_MS = 2_000;
/** Timers may run a moment early. */
const EARLY_MS = 2;

/**
 * Returns a function that observes the attempts of a client's calls. The AI SDK retries outside its models, so a model sees each attempt
 * alone. Attempts of one call have the same prompt and headers, and each starts when the SDK's pause ends. They are recorded as one call.
 */
export function observeAttempts(client: Client): Observe {
  const failed = new Set<Failed>();
  return (attempt, call, invoke) => {
    const { model } = attempt;
    const headers = fieldAt(attempt.params, "headers");
    const signal = fieldAt(attempt.params, "abortSignal");
    let [startedAt, attempts] = [performance.now(), 1];
    let beforeMs = 0;
    let error: unknown;
    const keep = (identity: EventPayload, event: EventPayload) => {
      const pauseMs = pauseOf(error, attempts);
      const decide = () => {
        failed.delete(entry);
        client.track("model_call", fieldAt(signal, "aborted") ? abortedIn(event) : event);
      };
      const pending = new PendingCall(client, pauseMs + PREPARING_MS, decide, { hasStopped: true });
      const prompt = promptOf(attempt);
      const entry: Failed = { model, headers, prompt, identity, startedAt, attempts, pauseMs, pending };
      failed.add(entry);
    };
    const frameworks: FrameworkObserver = {
      start(identity) {
        const last = [...failed].find((other) => isNext(attempt, identity, other));
        if (!last) return false;
        last.pending.settle();
        failed.delete(last);
        beforeMs = startedAt - last.startedAt;
        startedAt = last.startedAt;
        attempts = last.attempts + 1;
        return true;
      },
      end(identity, { latency_ms, time_to_first_token_ms: first, ...event }) {
        const times = { latency_ms: sum(latency_ms, beforeMs), time_to_first_token_ms: sum(first, beforeMs) };
        if (fieldAt(error, "isRetryable") === true) keep(identity, { ...event, ...times });
        else client.track("model_call", { ...event, ...times });
      },
    };
    return client.observe({ ...call, host: hostOf(client, frameworks) }, async () => {
      try {
        return await invoke();
      } catch (thrown) {
        error = thrown;
        throw thrown;
      }
    });
  };
}

const sum = (ms: unknown, beforeMs: number) => (typeof ms === "number" ? ms + beforeMs : undefined);

/** Whether an attempt is the next one of this call and user. */
function isNext(attempt: Attempt, identity: EventPayload, last: Failed): boolean {
  return (
    last.pending.idleMs >= last.pauseMs - EARLY_MS &&
    attempt.model === last.model &&
    fieldAt(attempt.params, "headers") === last.headers &&
    (["user_id", "unit_id", "run_id"] as const).every((field) => identity[field] === last.identity[field]) &&
    promptOf(attempt) === last.prompt
  );
}

const promptOf = ({ params }: Attempt) =>
  messagesText(fieldAt(params, "prompt") ?? fieldAt(params, "values"));

/** How long the AI SDK waits after this number of failed attempts. Exported for its test. */
export function pauseOf(error: unknown, attempts: number): number {
  const backoffMs = 2_000 * 2 ** (attempts - 1);
  const headers = fieldAt(error, "responseHeaders") ?? fieldAt(error, "cause", "responseHeaders");
  const retryAfter = textAt(headers, "retry-after");
  const [ms, seconds] = [textAt(headers, "retry-after-ms"), retryAfter].map(Number.parseFloat);
  const toldMs = [ms!, seconds! * 1_000, Date.parse(retryAfter) - Date.now()].find(
    (told) => !Number.isNaN(told),
  );
  return toldMs !== undefined && toldMs >= 0 && (toldMs < 60_000 || toldMs < backoffMs) ? toldMs : backoffMs;
}

/** Makes the event of a call that the caller canceled during a pause. Such a call has not failed. */
function abortedIn({ error_type: _, metadata, ...event }: EventPayload): EventPayload {
  return { ...event, error: false, metadata: { ...metadata, outcome: "aborted" } };
}
