/** A fault in a request body, with its place as a JSON Pointer. */
export interface BodyFault {
  readonly pointer: string;
  readonly detail: string;
}

interface ProblemFacts {
  /** The slug of the problem's type, or `connection-lost`. */
  readonly kind: string;
  readonly title: string;
  readonly detail: string;
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly requestId?: string | null;
  readonly faults?: readonly BodyFault[];
  readonly retryAfterSeconds?: number | null;
}

/** A failed request in words for the page: a problem of the service (RFC 9457) or a lost connection. */
export class Problem extends Error {
  readonly kind: string;
  readonly title: string;
  readonly detail: string;
  readonly status: number;
  readonly requestId: string | null;
  readonly faults: readonly BodyFault[];
  readonly retryAfterSeconds: number | null;

  constructor(facts: ProblemFacts) {
    super(facts.detail);
    this.name = "Problem";
    this.kind = facts.kind;
    this.title = facts.title;
    this.detail = facts.detail;
    this.status = facts.status;
    this.requestId = facts.requestId ?? null;
    this.faults = facts.faults ?? [];
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
  }
}

/** Creates the problem for a request that got no answer. */
export function connectionLost(): Problem {
  return new Problem({
    kind: "connection-lost",
    title: "The connection to Assay is lost",
    detail: "The service did not answer. Check that it is running and that you are online.",
    status: 0,
  });
}

/** Reads the problem of a request that needs a session. The service's text about a missing session is for programs. */
export function toProblem(response: Response, body: unknown): Problem {
  const problem = readProblem(response, body);
  if (problem.kind !== "invalid-credential") return problem;
  return new Problem({
    ...{ kind: problem.kind, status: problem.status, requestId: problem.requestId },
    title: "You are not signed in",
    detail: "Sign in again in another tab, then try again here. Your input is kept.",
  });
}

/** Reads the problem from an answer that is not a success. */
export function readProblem(response: Response, body: unknown): Problem {
  const { type, title, detail, instance, errors } = asRecord(body);
  const wait = Number(response.headers.get("retry-after"));
  return new Problem({
    kind: textOr(type, "").split("/").at(-1) ?? "",
    title: textOr(title, `The service answered ${response.status}`),
    detail: textOr(
      detail,
      "The service gave no further explanation. A proxy may have answered in its place.",
    ),
    status: response.status,
    requestId: textOr(instance, "").replace("urn:request:", "") || null,
    faults: Array.isArray(errors) ? errors.map(toFault) : [],
    retryAfterSeconds: wait > 0 ? wait : null,
  });
}

function toFault(value: unknown): BodyFault {
  const { pointer, detail } = asRecord(value);
  return { pointer: textOr(pointer, ""), detail: textOr(detail, "is not valid") };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === "string" && value !== "" ? value : fallback;
}
