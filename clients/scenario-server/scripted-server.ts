import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface ScriptedResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged after `body`, each in a separate write. */
  readonly chunks?: readonly string[];
  /** After the chunks: the response ends, the connection breaks, or nothing more is sent. */
  readonly end?: "end" | "reset" | "hang";
}

/** A reply. `reset` breaks the connection, `hang` never answers. */
export type Reply = "reset" | "hang" | ScriptedResponse;

/** The replies of each path, in order. The last one repeats forever. */
export type Scenario = Readonly<Record<string, readonly Reply[]>>;

const CONTROL = "/scenario";

/**
 * A local HTTP server that answers each path from its own script. The last reply repeats forever. Drivers in
 * other languages control it over HTTP: `PUT /scenario` installs scripts, `GET /scenario/requests` returns
 * the requests received.
 */
export class ScriptedServer {
  readonly requests: ReceivedRequest[] = [];
  readonly #server: Server;
  readonly #scripts = new Map<string, Reply[]>();
  readonly #watchers = new Set<() => void>();

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<ScriptedServer> {
    const scripted = new ScriptedServer();
    await new Promise<void>((resolve) => {
      scripted.#server.listen(0, "127.0.0.1", resolve);
    });
    return scripted;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  script(path: string, ...replies: Reply[]): void {
    this.#scripts.set(path, replies);
  }

  /** Replaces all scripts with those of `scenario` and forgets all requests. */
  reset(scenario: Scenario): void {
    this.requests.length = 0;
    this.#scripts.clear();
    for (const [path, replies] of Object.entries(scenario)) this.script(path, ...replies);
  }

  /** The requests for a path so far. */
  at(path: string): readonly ReceivedRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  /** The events of each batch so far. */
  get batches(): readonly (readonly Record<string, unknown>[])[] {
    return this.at("/v1/events").map(({ body }) => JSON.parse(body).events);
  }

  /** Resolves once `count` requests for the path have come. */
  async received(path: string, count: number): Promise<void> {
    while (this.at(path).length < count) {
      await new Promise<void>((resolve) => {
        this.#watchers.add(resolve);
      });
    }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A killed client breaks its request off in the middle: nobody is left to answer.
    const body = await text(request).catch(() => null);
    if (body === null) return;
    const { method = "", url: path = "", headers } = request;
    const received = { method, path, headers, body };
    const isControl = path === CONTROL || path.startsWith(`${CONTROL}/`);
    const reply = isControl ? this.#control(received) : this.#nextReply(received);
    if (reply === "hang") return;
    if (reply === "reset") return void request.socket.destroy();
    response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
    if (reply.body !== undefined) response.write(JSON.stringify(reply.body));
    for (const chunk of reply.chunks ?? []) await writeChunk(response, chunk);
    if (reply.end === "reset") request.socket.destroy();
    else if (reply.end !== "hang") response.end();
  }

  #nextReply(received: ReceivedRequest): Reply {
    const script = this.#scripts.get(received.path) ?? [{ status: 404 }];
    this.requests.push(received);
    for (const notify of this.#watchers) notify();
    this.#watchers.clear();
    return (script.length > 1 ? script.shift() : script[0]) ?? "reset";
  }

  #control({ method, path, body }: ReceivedRequest): ScriptedResponse {
    const command = `${method} ${path}`;
    if (command === `GET ${CONTROL}/requests`) return { status: 200, body: this.requests };
    if (command !== `PUT ${CONTROL}`) return { status: 404 };
    const scenario = parseScenario(body);
    if (scenario === null) return { status: 400, body: "a scenario is a JSON object {path: [reply, …], …}" };
    this.reset(scenario);
    return { status: 204 };
  }
}

/** Null when the text is not a scenario, so that a driver's mistake shows where it was made. */
function parseScenario(json: string): Scenario | null {
  try {
    const scenario: unknown = JSON.parse(json);
    return isScenario(scenario) ? scenario : null;
  } catch {
    return null;
  }
}

function isScenario(value: unknown): value is Scenario {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((replies) => Array.isArray(replies) && replies.every(isReply))
  );
}

function isReply(value: unknown): value is Reply {
  if (value === "reset" || value === "hang") return true;
  return typeof value === "object" && value !== null && "status" in value && Number.isInteger(value.status);
}

/** Yields to the event loop after each write, so that the other side reads the chunks one by one. */
async function writeChunk(response: ServerResponse, chunk: string): Promise<void> {
  await new Promise((resolve) => {
    response.write(chunk, resolve);
  });
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}
