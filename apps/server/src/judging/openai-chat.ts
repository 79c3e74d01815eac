import type OpenAI from "openai";
import type { ChatSettings } from "../settings/judge-settings.ts";
import type { Asking, FailedReply } from "./judge-endpoint.ts";
import type { EndpointNames, StatusFault } from "./judge-faults.ts";

const TIMEOUT_MS = 60_000;

type Library = typeof import("openai");

/** The body of a request for a completion. */
export type ChatBody = Readonly<Record<string, unknown>> & {
  readonly model: string;
  readonly messages: readonly { readonly role: "system" | "user" | "assistant"; readonly content: string }[];
};

export type ChatOutcome =
  | { readonly kind: "completion"; readonly body: unknown }
  | { readonly kind: "status"; readonly fault: StatusFault }
  | Extract<FailedReply, { readonly kind: "malformed" | "transient" | "aborted" }>;

/** An endpoint with OpenAI's chat completions API. */
export interface Chat {
  readonly names: EndpointNames;
  /** Asks once, without retries. Every behavior of the endpoint becomes an outcome, never an exception. */
  complete(body: ChatBody, asking: Asking): Promise<ChatOutcome>;
}

export interface ChatOptions {
  readonly timeoutMs?: number | undefined;
}

/** Opens an OpenAI-compatible endpoint. */
export async function openChat(
  settings: ChatSettings,
  names: EndpointNames,
  { timeoutMs = TIMEOUT_MS }: ChatOptions = {},
): Promise<Chat> {
  const library = await loadLibrary();
  const client = openClient(library, settings, timeoutMs);
  return {
    names,
    async complete(body, { idempotencyKey, signal }) {
      const options = { signal, headers: { "Idempotency-Key": idempotencyKey } };
      const request = () =>
        client.chat.completions.create({ ...body, messages: [...body.messages] }, options);
      return withoutKey(await attempt(request, { library, names }), settings);
    },
  };
}

/** Loaded only when an endpoint is set: it takes 35 MB and a tenth of a second. */
const loadLibrary = (): Promise<Library> => import("openai");

/** Opens the client, configured only by the settings and not by the library's environment variables. */
function openClient(library: Library, { url, apiKey }: ChatSettings, timeout: number): OpenAI {
  return new library.default({
    baseURL: url,
    // The library requires a key; a header set to null is not sent.
    ...(apiKey === null ? { apiKey: "none", defaultHeaders: { authorization: null } } : { apiKey }),
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    timeout,
    // The pools decide when to retry.
    maxRetries: 0,
    logLevel: "off",
  });
}

interface Context {
  readonly library: Library;
  readonly names: EndpointNames;
}

async function attempt(request: () => PromiseLike<unknown>, context: Context): Promise<ChatOutcome> {
  try {
    return { kind: "completion", body: await request() };
  } catch (error) {
    return toOutcome(error, context);
  }
}

function toOutcome(error: unknown, { library, names: { who } }: Context): ChatOutcome {
  const { APIError, APIUserAbortError, APIConnectionTimeoutError } = library;
  if (error instanceof APIUserAbortError) return { kind: "aborted" };
  if (error instanceof APIConnectionTimeoutError)
    return transient("timed-out", `${who} did not answer in time`);
  if (error instanceof APIError && error.status !== undefined) {
    const { status, code, param, headers } = error;
    const fault = { status, headers, code: toText(code), param: toText(param), message: messageOf(error) };
    return { kind: "status", fault };
  }
  if (error instanceof SyntaxError)
    return { kind: "malformed", detail: `${who}'s endpoint did not answer with JSON.`, usage: null };
  // `fetch` throws a TypeError when the connection breaks during an answer. Without an answer, the library wraps the error.
  if (error instanceof APIError || error instanceof TypeError)
    return transient("unreachable", `${who} cannot be reached${reasonOf(error)}`);
  throw error;
}

function transient(cause: "timed-out" | "unreachable", detail: string): ChatOutcome {
  return { kind: "transient", cause, detail, retryAfterMs: null };
}

/** Returns the endpoint's message. The library's own message begins with the status. */
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

const toText = (value: unknown) => (typeof value === "string" ? value : null);

/** Removes the API key from a message: an endpoint may quote it. */
function withoutKey(outcome: ChatOutcome, { apiKey }: ChatSettings): ChatOutcome {
  if (outcome.kind !== "status" || apiKey === null) return outcome;
  const { fault } = outcome;
  return { ...outcome, fault: { ...fault, message: fault.message.replaceAll(apiKey, "…") } };
}
