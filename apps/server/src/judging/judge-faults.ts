import { readRetryAfter } from "@assay/domain";
import type { FailedReply } from "./judge-endpoint.ts";

const MAX_DETAIL_LENGTH = 300;

/** An error response of the endpoint: its status and what it says about it. */
export interface StatusFault {
  readonly status: number;
  readonly code: string | null;
  /** The parameter that the endpoint complains about. */
  readonly param: string | null;
  readonly message: string;
  readonly headers: Pick<Headers, "get">;
}

/** How messages name an endpoint and its settings. */
export interface EndpointNames {
  /** At the beginning of a sentence. */
  readonly who: string;
  readonly url: string;
  readonly apiKey: string;
  readonly model: string;
}

export const JUDGE_NAMES: EndpointNames = {
  who: "The judge",
  url: "ASSAY_JUDGE_URL",
  apiKey: "ASSAY_JUDGE_API_KEY",
  model: "ASSAY_JUDGE_MODEL",
};

/** Remedies for faults of the endpoint that affect every request. */
const remedies = ({ url, apiKey, model }: EndpointNames): Readonly<Record<number, string>> => ({
  401: `check ${apiKey}`,
  402: "the account has no credit left",
  403: `check the permissions of ${apiKey}`,
  404: `check ${url} (/chat/completions follows it) and ${model}`,
  405: `check ${url} (/chat/completions follows it)`,
});

/** Maps an error response to what it means for a request. */
export function replyOfStatus(fault: StatusFault, names: EndpointNames): FailedReply {
  const { status, code } = fault;
  const detail = describe(fault, names);
  const known = remedies(names);
  if (code === "insufficient_quota") return { kind: "fault", detail: `${detail} (${known[402]})` };
  if (/^content_(filter|policy)/.test(code ?? "")) return { kind: "refused", detail, usage: null };
  if (code === "model_not_found") return { kind: "fault", detail: `${detail} (${known[404]})` };
  const remedy = known[status];
  // A message about the key may quote the key.
  if (remedy !== undefined)
    return { kind: "fault", detail: `${status === 401 ? `${names.who} answers 401` : detail} (${remedy})` };
  if (isTransient(status)) return transient(fault, detail);
  if (status >= 400) return { kind: "rejected", detail };
  return { kind: "fault", detail: `${detail} (${known[405]})` };
}

/** 409: the same request is still being processed; 425: too early. */
function isTransient(status: number): boolean {
  return [408, 409, 425, 429].includes(status) || status >= 500;
}

function transient({ status, headers }: StatusFault, detail: string): FailedReply {
  const cause = status === 429 ? "rate-limited" : status === 408 ? "timed-out" : "server-error";
  return { kind: "transient", cause, detail, retryAfterMs: retryAfterMs(headers) };
}

function describe(
  { status, message }: Pick<StatusFault, "status" | "message">,
  { who }: EndpointNames,
): string {
  const text = shorten(message);
  return text === "" ? `${who} answers ${status}` : `${who} answers ${status}: ${text}`;
}

/** Shortens a text of the endpoint to one line. */
export function shorten(text: string): string {
  // An error page may be long.
  const line = text.slice(0, 10_000).replace(/\s+/g, " ").trim();
  return line.length <= MAX_DETAIL_LENGTH ? line : `${line.slice(0, MAX_DETAIL_LENGTH - 1)}…`;
}

/** Reads how long to wait: `retry-after-ms`, or `Retry-After`, whose date is compared with the endpoint's own clock. */
function retryAfterMs(headers: StatusFault["headers"]): number | null {
  const ms = headers.get("retry-after-ms")?.trim() ?? "";
  if (/^\d{1,9}(\.\d+)?$/.test(ms)) return Math.ceil(Number(ms));
  return readRetryAfter(headers.get("retry-after"), Date.parse(headers.get("date") ?? ""));
}
