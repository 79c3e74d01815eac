/** The front's reasons to refuse a request, with the answer's HTTP status and ClickHouse error. */
const refusals = {
  "bad-request": { status: 400, code: 36, name: "BAD_ARGUMENTS" },
  "not-one-statement": { status: 400, code: 62, name: "SYNTAX_ERROR" },
  "unsafe-rows": { status: 400, code: 117, name: "INCORRECT_DATA" },
  "wrong-credentials": { status: 403, code: 516, name: "AUTHENTICATION_FAILED" },
  "unknown-path": { status: 404, code: 48, name: "NOT_IMPLEMENTED" },
  "body-too-large": { status: 413, code: 307, name: "TOO_MANY_BYTES" },
  "too-busy": { status: 503, code: 202, name: "TOO_MANY_SIMULTANEOUS_QUERIES" },
} as const;

/** The reasons for which the front itself refuses a request. */
export type RefusalKind = keyof typeof refusals;

/** A request that never reached the engine. Its text has the engine's format, so that clients can parse it. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;

  constructor(kind: RefusalKind, detail: string) {
    const { status, code, name } = refusals[kind];
    super(`Code: ${code}. DB::Exception: ${detail}. (${name})`);
    this.status = status;
  }
}
