/** Every kind of expected failure; `contract/problem.ts` gives each its status and title. */
export type ProblemKind =
  | "invalid-body"
  | "invalid-query"
  | "invalid-host"
  | "invalid-credential"
  | "invalid-signature"
  | "role-required"
  | "person-required"
  | "platform-owner-required"
  | "recent-sign-in-required"
  | "passkey-required"
  | "passkey-refused"
  | "seat-required"
  | "foreign-origin"
  | "not-found"
  | "experiment-not-found"
  | "metric-not-found"
  | "results-not-ready"
  | "run-not-found"
  | "row-not-found"
  | "replay-not-found"
  | "event-not-found"
  | "exclusion-not-found"
  | "rehearsal-not-found"
  | "org-not-found"
  | "price-not-found"
  | "member-not-found"
  | "invitation-not-found"
  | "token-not-found"
  | "passkey-not-found"
  | "report-link-not-found"
  | "dataset-not-found"
  | "too-many-datasets"
  | "alert-channel-not-found"
  | "alert-delivery-not-found"
  | "alert-channel-off"
  | "alert-channel-unsigned"
  | "too-many-alert-channels"
  | "mail-not-configured"
  | "key-not-revealable"
  | "method-not-allowed"
  | "experiment-name-taken"
  | "experiment-not-deletable"
  | "not-holdable"
  | "exclusion-lifted"
  | "replay-under-way"
  | "rehearsal-state"
  | "too-many-rehearsals"
  | "model-without-price"
  | "members-elsewhere"
  | "seats-exhausted"
  | "session-of-another"
  | "last-owner"
  | "too-many-tokens"
  | "too-many-passkeys"
  | "too-many-report-links"
  | "report-links-forbidden"
  | "passkey-address"
  | "billing-not-configured"
  | "checkout-conflict"
  | "no-billing-account"
  | "evidence-gone"
  | "judge-not-available"
  | "version-mismatch"
  | "body-too-large"
  | "body-timeout"
  | "unsupported-media-type"
  | "rate-limited"
  | "allowance-exhausted"
  | "test-event-limit"
  | "queue-full"
  | "storage-unavailable"
  | "identity-unavailable"
  | "billing-unavailable"
  | "internal";

/** One fault of a request body: where (JSON Pointer, RFC 6901) and which rule it breaks. */
export interface FieldFault {
  readonly pointer: string;
  readonly detail: string;
}

/**
 * The limit that refused a request, with the fields of the IETF `RateLimit` header
 * (draft-ietf-httpapi-ratelimit-headers).
 */
export interface ReachedLimit {
  /** Name of the policy. */
  readonly policy: string;
  /** Requests or events per window. */
  readonly quota: number;
  readonly windowSeconds: number;
}

/** Converts a wait to the whole seconds of `Retry-After`: rounded up, and at least 1. */
export function toRetrySeconds(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / 1000));
}

/** A broken rule of the request or the state: an answer to the caller, not a bug. */
export class DomainError extends Error {
  readonly kind: ProblemKind;
  readonly faults: readonly FieldFault[];
  /** Seconds after which a retry makes sense; null when retrying alone never helps. */
  readonly retryAfterSeconds: number | null;
  /** Set on every 429. */
  readonly limit: (ReachedLimit & { readonly resetSeconds: number }) | null;

  constructor(
    kind: ProblemKind,
    detail: string,
    more: {
      faults?: readonly FieldFault[];
      retryAfterSeconds?: number;
      limit?: ReachedLimit;
      /** The underlying error, for the log. */
      cause?: unknown;
      /** When the limit has room again, if that is later than `retryAfterSeconds`. */
      resetSeconds?: number;
    } = {},
  ) {
    super(detail, { cause: more.cause });
    this.name = "DomainError";
    this.kind = kind;
    this.faults = more.faults ?? [];
    this.retryAfterSeconds = more.retryAfterSeconds ?? null;
    const resetSeconds = more.resetSeconds ?? more.retryAfterSeconds ?? 0;
    this.limit = more.limit ? { ...more.limit, resetSeconds } : null;
  }
}

/** Returns whether an error means that a storage engine does not answer. */
export function isStorageUnavailable(error: unknown): error is DomainError {
  return error instanceof DomainError && error.kind === "storage-unavailable";
}

/** Throws `invalid-body` when there are faults. */
export function rejectFaults(faults: readonly FieldFault[]): void {
  if (faults.length > 0) throw invalidBody(faults);
}

/** Builds the error of a body with faults; the detail names the first. */
export function invalidBody(faults: readonly FieldFault[]): DomainError {
  const first = faults[0];
  const detail = first ? `${first.pointer || "The body"}: ${first.detail}` : "The body is not valid.";
  return new DomainError("invalid-body", detail, { faults });
}
