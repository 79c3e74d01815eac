import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { type AddressGuard, RefusedAddress } from "./address-guard.ts";

const TIMEOUT_MS = 10_000;
/** What is read of an answer. */
const MAX_ANSWER_BYTES = 65_536;

/** How an attempt ended: the status and the beginning of the answer, or why there is no answer. */
export interface Attempt {
  readonly isDelivered: boolean;
  readonly code: number | null;
  readonly answer: string;
  /** The header `Retry-After` of the answer. */
  readonly retryAfter?: string;
}

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Posts JSON once, on its own connection, without following redirects. It ends after ten seconds, whatever the receiver
 * does, and never throws.
 */
export async function postMessage(
  { url: text, headers, body }: Post,
  guard: AddressGuard,
  timeoutMs = TIMEOUT_MS,
): Promise<Attempt> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const url = new URL(text);
    guard.check(url);
    return await new Promise<Attempt>((resolve, reject) => {
      const send = url.protocol === "https:" ? requestHttps : requestHttp;
      const request = send(url, {
        method: "POST",
        agent: false,
        lookup: guard.lookup,
        signal: timeout,
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          ...headers,
        },
      });
      request.on("error", reject);
      request.on("response", (response) => {
        // From now on the status counts: `readAnswer` sees the same errors.
        request.off("error", reject).on("error", () => undefined);
        readAnswer(response).then((answer) => resolve(attemptOf(response, answer)), reject);
      });
      request.end(body);
    });
  } catch (error) {
    const answer = timeout.aborted ? `No answer within ${timeoutMs / 1_000} seconds.` : describeFault(error);
    return { isDelivered: false, code: null, answer };
  }
}

function attemptOf({ statusCode: code = 0, headers }: IncomingMessage, answer: string): Attempt {
  const retryAfter = headers["retry-after"];
  const isRedirect = code >= 300 && code < 400;
  return {
    isDelivered: code >= 200 && code < 300,
    code,
    answer: isRedirect
      ? "Redirects are not followed: enter the address that the request is redirected to."
      : answer,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

/** Reads the beginning of an answer. Its status counts, even if the rest never comes. */
async function readAnswer(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= MAX_ANSWER_BYTES) break;
    }
  } catch {
    // Cut off: what came is the answer.
  }
  response.destroy();
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString("utf8");
}

const FAULTS: Readonly<Record<string, string>> = {
  ENOTFOUND: "The host name cannot be resolved.",
  EAI_AGAIN: "The host name cannot be resolved now.",
  ECONNREFUSED: "The connection was refused.",
  ECONNRESET: "The connection was closed before an answer came.",
  EPIPE: "The connection was closed before an answer came.",
  EHOSTUNREACH: "The host cannot be reached.",
  ENETUNREACH: "The host cannot be reached.",
};

/** Describes why a request failed, without the address, which may contain a token. */
export function describeFault(error: unknown): string {
  if (error instanceof RefusedAddress) return error.message;
  const { code, errors } = error as { readonly code?: unknown; readonly errors?: readonly unknown[] };
  // Several addresses were tried.
  if (errors?.[0] !== undefined) return describeFault(errors[0]);
  if (typeof code !== "string") return "The request failed.";
  return FAULTS[code] ?? `The request failed (${code}).`;
}
