import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** An answer to give; `reset` breaks the connection, `hang` never answers. */
export type Reply = "reset" | "hang" | { status: number; headers?: Record<string, string>; body?: unknown };

type Path = "/v1/config" | "/v1/events";

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

  script(path: Path, ...replies: Reply[]): void {
    this.#scripts.set(path, replies);
  }

  /** The requests for a path so far. */
  at(path: Path): readonly ReceivedRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  /** The events of each batch so far. */
  get batches(): readonly (readonly Record<string, unknown>[])[] {
    return this.at("/v1/events").map(({ body }) => JSON.parse(body).events);
  }

  /** Resolves once `count` requests for the path have come. */
  async received(path: Path, count: number): Promise<void> {
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
    response.end(reply.body === undefined ? "" : JSON.stringify(reply.body));
  }
}
