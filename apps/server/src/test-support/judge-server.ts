import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { JudgeSettings } from "../settings/judge-settings.ts";
import { type ChatRequest, completionOf } from "./judge-completion.ts";
import type { JudgeStep } from "./judge-step.ts";

export interface JudgeCounts {
  /** Requests for a completion. */
  readonly requests: number;
  /** Answers that cost something: one for each `Idempotency-Key`, however often it comes. */
  readonly charged: number;
  /** Requests whose key was charged before: they got the same answer again. */
  readonly replayed: number;
  readonly inFlight: number;
  readonly maxInFlight: number;
}

export interface SeenRequest {
  readonly headers: IncomingMessage["headers"];
  readonly body: ChatRequest;
}

/** A local server that speaks OpenAI's chat completions. */
export interface JudgeServer {
  /** Those of an account at this server. */
  readonly settings: JudgeSettings;
  /** The last 100 requests for a completion. */
  readonly seen: readonly SeenRequest[];
  counts(): JudgeCounts;
  /** Scripts the next requests, in this order; null: the default. */
  script(...steps: readonly (JudgeStep | null)[]): void;
  /** Sets the default for requests that are not scripted. */
  always(step: JudgeStep | ((request: ChatRequest) => JudgeStep)): void;
  /** Parameters that are refused as unknown, as some models do. */
  lack(...parameters: readonly string[]): void;
  /** Adds models to the judge's own. */
  serve(...models: readonly string[]): void;
  close(): Promise<void>;
}

export const JUDGE_MODEL = "judge-1";
const API_KEY = "sk-a_key_that_nobody_may_see";
const MAX_SEEN = 100;

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly retryAfter?: string;
}

/** Starts the server on a port of 127.0.0.1; 0: any free one. A request is charged at its end, even when nobody waits for it any more. */
export async function openJudgeServer(port = 0): Promise<JudgeServer> {
  const seen: SeenRequest[] = [];
  const scripted: (JudgeStep | null)[] = [];
  const charged = new Map<string, { readonly digest: string; readonly reply: Reply }>();
  let lacking: readonly string[] = [];
  const served = new Set([JUDGE_MODEL]);
  let usual: (request: ChatRequest) => JudgeStep = () => ({});
  const counts = { requests: 0, charged: 0, replayed: 0, inFlight: 0, maxInFlight: 0 };

  async function complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request);
    const body = JSON.parse(sent) as ChatRequest;
    seen.push({ headers: request.headers, body });
    if (seen.length > MAX_SEEN) seen.shift();
    counts.requests += 1;
    const step = scripted.shift() ?? usual(body);
    if (step.latencyMs) await sleep(step.latencyMs);
    if (step.line === "hang") return void (await once(response, "close"));
    if (step.line === "cut-before") return void request.socket.destroy();
    const reply =
      refusalOf(request, body, { step, lacking, served }) ??
      charge(request, sent, () => completionOf(body, step));
    if (step.line === "cut-after") return void request.socket.destroy();
    send(response, reply);
  }

  function charge(request: IncomingMessage, body: string, make: () => string): Reply {
    const key = request.headers["idempotency-key"];
    const digest = createHash("sha256").update(body).digest("base64");
    const known = typeof key === "string" ? charged.get(key) : undefined;
    if (known) {
      counts.replayed += 1;
      return known.digest === digest ? known.reply : refusal(400, { code: "idempotency_error" });
    }
    counts.charged += 1;
    const reply = { status: 200, body: make() };
    if (typeof key === "string") charged.set(key, { digest, reply });
    return reply;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const line = `${request.method} ${request.url}`;
    if (line === "GET /v1/models") return send(response, unauthorised(request) ?? models);
    // For tests in another process.
    if (line === "GET /counts") return send(response, { status: 200, body: JSON.stringify(counts) });
    if (line !== "POST /v1/chat/completions") return send(response, refusal(404, { message: `No ${line}.` }));
    counts.inFlight += 1;
    counts.maxInFlight = Math.max(counts.maxInFlight, counts.inFlight);
    await complete(request, response).finally(() => {
      counts.inFlight -= 1;
    });
  }

  const server = createServer((request, response) => {
    // A caller that disconnects ends the reading of the body.
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    settings: { url, apiKey: API_KEY, model: JUDGE_MODEL },
    seen,
    counts: () => ({ ...counts }),
    script: (...steps) => void scripted.push(...steps),
    always: (step) => {
      usual = typeof step === "function" ? step : () => step;
    },
    lack: (...parameters) => {
      lacking = parameters;
    },
    serve: (...models) => {
      for (const model of models) served.add(model);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const models: Reply = {
  status: 200,
  body: JSON.stringify({
    object: "list",
    data: [{ id: JUDGE_MODEL, object: "model", created: 0, owned_by: "x" }],
  }),
};

interface Ways {
  readonly step: JudgeStep;
  readonly lacking: readonly string[];
  readonly served: ReadonlySet<string>;
}

function refusalOf(
  request: IncomingMessage,
  body: ChatRequest,
  { step, lacking, served }: Ways,
): Reply | null {
  const { status, retryAfter, error } = step;
  if (status !== undefined) return { ...refusal(status, error), ...(retryAfter ? { retryAfter } : {}) };
  const param = lacking.find((name) => name in body);
  if (param !== undefined)
    return refusal(400, {
      message: `Unsupported parameter: '${param}'.`,
      param,
      code: "unsupported_parameter",
    });
  if (!served.has(body.model))
    return refusal(404, { message: `The model '${body.model}' does not exist.`, code: "model_not_found" });
  return unauthorised(request);
}

function unauthorised({ headers }: IncomingMessage): Reply | null {
  if (headers.authorization === `Bearer ${API_KEY}`) return null;
  // A key at fault is quoted, which is what must not reach anybody.
  return refusal(401, { message: `Incorrect API key: ${headers.authorization}`, code: "invalid_api_key" });
}

function refusal(status: number, error: Readonly<Record<string, unknown>> = {}): Reply {
  const body = { error: { message: "It failed.", type: "error", param: null, code: null, ...error } };
  return { status, body: JSON.stringify(body) };
}

function send(response: ServerResponse, { status, body, retryAfter }: Reply): void {
  const more = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  response.writeHead(status, { "content-type": "application/json", ...more });
  response.end(body);
}
