import type { JudgeReply } from "./judge-endpoint.ts";

const MAX_DETAIL_LENGTH = 300;

/** An answer of an endpoint that is none: its status, and what it says of it. */
export interface StatusFault {
  readonly status: number;
  readonly code: string | null;
  /** The parameter at fault. */
  readonly param: string | null;
  readonly message: string;
  readonly headers: Pick<Headers, "get">;
}

/** Of the endpoint and not of one request, whatever was asked. */
const MENDING: Readonly<Record<number, string>> = {
  401: "check ASSAY_JUDGE_API_KEY",
  402: "its account has no credit left",
  403: "check the rights of ASSAY_JUDGE_API_KEY",
  404: "check ASSAY_JUDGE_URL (/chat/completions follows it) and ASSAY_JUDGE_MODEL",
  405: "check ASSAY_JUDGE_URL (/chat/completions follows it)",
};

/** Tells what an endpoint's status means for a judgement. */
export function replyOfStatus(fault: StatusFault): JudgeReply {
  const { status, code } = fault;
  const detail = said(fault);
  if (code === "insufficient_quota") return { kind: "fault", detail: `${detail} (${MENDING[402]})` };
  if (/^content_(filter|policy)/.test(code ?? "")) return { kind: "refused", detail, usage: null };
  if (code === "model_not_found") return { kind: "fault", detail: `${detail} (${MENDING[404]})` };
  const mending = MENDING[status];
  // What it says of a key may quote the key.
  if (mending !== undefined)
    return { kind: "fault", detail: `${status === 401 ? "The judge answers 401" : detail} (${mending})` };
  if (isTransient(status)) return transient(fault, detail);
  if (status >= 400) return { kind: "rejected", detail };
  return { kind: "fault", detail: `${detail} (${MENDING[405]})` };
}

/** 409: the same request is at work; 425: too early. */
function isTransient(status: number): boolean {
  return [408, 409, 425, 429].includes(status) || status >= 500;
}

function transient({ status, headers }: StatusFault, detail: string): JudgeReply {
  const cause = status === 429 ? "rate-limited" : status === 408 ? "timed-out" : "server-error";
  return { kind: "transient", cause, detail, retryAfterMs: retryAfterMs(headers) };
}

function said({ status, message }: Pick<StatusFault, "status" | "message">): string {
  const words = shorten(message);
  return words === "" ? `The judge answers ${status}` : `The judge answers ${status}: ${words}`;
}

/** Brings words of an endpoint onto one short line. */
export function shorten(words: string): string {
  // A page of an error may be long.
  const line = words.slice(0, 10_000).replace(/\s+/g, " ").trim();
  return line.length <= MAX_DETAIL_LENGTH ? line : `${line.slice(0, MAX_DETAIL_LENGTH - 1)}…`;
}

/** Reads how long to wait: `retry-after-ms`, or `Retry-After` in seconds or as a date (by the endpoint's own clock). */
function retryAfterMs(headers: StatusFault["headers"]): number | null {
  const ms = toCount(headers.get("retry-after-ms"));
  if (ms !== null) return ms;
  const after = headers.get("retry-after");
  const seconds = toCount(after);
  if (seconds !== null) return seconds * 1_000;
  const wait = Date.parse(after ?? "") - Date.parse(headers.get("date") ?? "");
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}

function toCount(text: string | null): number | null {
  return text !== null && /^\d{1,9}(\.\d+)?$/.test(text.trim()) ? Math.ceil(Number(text)) : null;
}
