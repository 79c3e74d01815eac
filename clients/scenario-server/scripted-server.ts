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
  /** Sent as they are, each in a write of its own, after `body`. */
  readonly chunks?: readonly string[];
  /** After the chunks: the response ends, the connection breaks, or nothing more comes. */
  readonly end?: "end" | "reset" | "hang";
}

/** An answer to give; `reset` breaks the connection, `hang` never answers. */
export type Reply = "reset" | "hang" | ScriptedResponse;

/** A local HTTP server that answers each path from its own script, the last reply for ever after. */
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
    const body = await text(request);
    const path = request.url ?? "";
    const script = this.#scripts.get(path) ?? [{ status: 404 }];
    const reply = (script.length > 1 ? script.shift() : script[0]) ?? "reset";
    this.requests.push({ method: request.method ?? "", path, headers: request.headers, body });
    for (const notify of this.#watchers) notify();
    this.#watchers.clear();
    if (reply === "hang") return;
    if (reply === "reset") return void request.socket.destroy();
    response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
    if (reply.body !== undefined) response.write(JSON.stringify(reply.body));
    for (const chunk of reply.chunks ?? []) await writeChunk(response, chunk);
    if (reply.end === "reset") request.socket.destroy();
    else if (reply.end !== "hang") response.end();
  }
}

/** Lets the event loop turn after each write, so that the other side reads the chunks one by one. */
async function writeChunk(response: ServerResponse, chunk: string): Promise<void> {
  await new Promise((resolve) => {
    response.write(chunk, resolve);
  });
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
}
