import { judgeRequest } from "@assay/domain";
import type OpenAI from "openai";
import type { JudgeSettings } from "../settings/judge-settings.ts";
import type { JudgeEndpoint, JudgeQuestion, JudgeReply } from "./judge-endpoint.ts";
import { replyOfStatus, type StatusFault } from "./judge-faults.ts";
import { readCompletion } from "./read-completion.ts";

const TIMEOUT_MS = 60_000;

/** Parameters that some models and servers do not accept and a judge can do without. */
const OPTIONAL = ["temperature", "response_format"] as const;
type Optional = (typeof OPTIONAL)[number];

type Library = typeof import("openai");

/** Opens the judge at an OpenAI-compatible endpoint. An optional parameter that it rejects is omitted from then on. */
export async function openaiJudge(
  settings: JudgeSettings,
  { timeoutMs = TIMEOUT_MS }: { readonly timeoutMs?: number } = {},
): Promise<JudgeEndpoint> {
  const library = await loadLibrary();
  const client = openClient(library, settings, timeoutMs);
  const left = new Set<Optional>(OPTIONAL);

  async function ask(question: JudgeQuestion): Promise<JudgeReply> {
    for (;;) {
      const sent = OPTIONAL.filter((name) => left.has(name));
      const request = () => client.chat.completions.create(...requestOf(settings.model, question, sent));
      const outcome = withoutKey(await attempt(request, library), settings);
      if (outcome.kind === "completion") return readCompletion(question.judge.scale, outcome.body);
      if (outcome.kind !== "status") return outcome;
      const unsupported = sent.filter((name) => isUnsupported(name, outcome.fault));
      if (unsupported.length === 0) return replyOfStatus(outcome.fault);
      for (const name of unsupported) left.delete(name);
    }
  }
  return { model: settings.model, ask };
}

/** Loaded only when a judge is set: it takes 35 MB and a tenth of a second. */
const loadLibrary = (): Promise<Library> => import("openai");

/** Opens the client, configured by the settings alone and not by the library's environment variables. */
function openClient(library: Library, { url, apiKey }: JudgeSettings, timeout: number): OpenAI {
  return new library.default({
    baseURL: url,
    // The library requires a key; a header set to null is not sent.
    ...(apiKey === null ? { apiKey: "none", defaultHeaders: { authorization: null } } : { apiKey }),
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    timeout,
    // The judging loop decides when to retry.
    maxRetries: 0,
    logLevel: "off",
  });
}

function requestOf(
  model: string,
  { judge, judged, idempotencyKey, signal }: JudgeQuestion,
  sent: readonly Optional[],
) {
  const { messages, schema } = judgeRequest(judge, judged);
  const optional = {
    temperature: 0,
    response_format: {
      type: "json_schema" as const,
      json_schema: { name: "judgement", strict: true, schema: { ...schema } },
    },
  };
  const body = {
    model,
    messages: [...messages],
    ...Object.fromEntries(sent.map((name) => [name, optional[name]])),
  };
  // A different body needs a different key, or the endpoint would refuse it.
  const key = [idempotencyKey, ...OPTIONAL.filter((name) => !sent.includes(name))].join("-");
  return [body, { signal, headers: { "Idempotency-Key": key } }] as const;
}

type Outcome =
  | { readonly kind: "completion"; readonly body: unknown }
  | { readonly kind: "status"; readonly fault: StatusFault }
  | Extract<JudgeReply, { readonly kind: "malformed" | "transient" | "aborted" }>;

async function attempt(request: () => PromiseLike<unknown>, library: Library): Promise<Outcome> {
  try {
    return { kind: "completion", body: await request() };
  } catch (error) {
    return toOutcome(error, library);
  }
}

function toOutcome(
  error: unknown,
  { APIError, APIUserAbortError, APIConnectionTimeoutError }: Library,
): Outcome {
  if (error instanceof APIUserAbortError) return { kind: "aborted" };
  if (error instanceof APIConnectionTimeoutError)
    return transient("timed-out", "The judge did not answer in time");
  if (error instanceof APIError && error.status !== undefined) {
    const { status, code, param, headers } = error;
    const fault = { status, headers, code: toText(code), param: toText(param), message: messageOf(error) };
    return { kind: "status", fault };
  }
  if (error instanceof SyntaxError)
    return { kind: "malformed", detail: "The judge's endpoint did not answer with JSON.", usage: null };
  // `fetch` throws a TypeError when the connection breaks within an answer; without an answer the library wraps it.
  if (error instanceof APIError || error instanceof TypeError)
    return transient("unreachable", `The judge cannot be reached${reasonOf(error)}`);
  throw error;
}

function transient(cause: "timed-out" | "unreachable", detail: string): Outcome {
  return { kind: "transient", cause, detail, retryAfterMs: null };
}

/** Returns the endpoint's message; that of the library begins with the status. */
function messageOf({ error, message, status }: InstanceType<Library["APIError"]>): string {
  const said: unknown = (error as { readonly message?: unknown } | undefined)?.message;
  return typeof said === "string" ? said : message.replace(`${status} `, "");
}

/** Finds the socket's error code, such as ECONNREFUSED, at the end of the chain of causes. */
function reasonOf(error: Error): string {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if ("code" in cause && typeof cause.code === "string") return ` (${cause.code})`;
  return "";
}

function isUnsupported(name: Optional, { status, param, message }: StatusFault): boolean {
  if (status !== 400 && status !== 422) return false;
  return param === null ? message.includes(name) : param.startsWith(name);
}

const toText = (value: unknown) => (typeof value === "string" ? value : null);

/** Removes the API key from a message: an endpoint may quote it. */
function withoutKey(outcome: Outcome, { apiKey }: JudgeSettings): Outcome {
  if (outcome.kind !== "status" || apiKey === null) return outcome;
  const { fault } = outcome;
  return { ...outcome, fault: { ...fault, message: fault.message.replaceAll(apiKey, "…") } };
}
