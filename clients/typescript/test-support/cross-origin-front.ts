import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { ScriptedServer } from "../../scenario-server/scripted-server.ts";

/** Headers that the front lets a page send: those of the service, or any that a provider's library needs. */
const SERVICE_HEADERS = "X-API-Key, Content-Type, Content-Encoding, If-None-Match";

/** Puts a scripted server on its own origin, with the service's CORS answers, for pages to call. */
export class CrossOriginFront {
  /** The path of each preflight so far. */
  readonly preflights: string[] = [];
  /** While true every connection breaks. */
  isDown = false;
  readonly #target: ScriptedServer;
  readonly #allowedHeaders: string;
  readonly #server: Server;

  private constructor(target: ScriptedServer, allowedHeaders: string) {
    this.#target = target;
    this.#allowedHeaders = allowedHeaders;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(target: ScriptedServer, allowedHeaders = SERVICE_HEADERS): Promise<CrossOriginFront> {
    const front = new CrossOriginFront(target, allowedHeaders);
    await new Promise<void>((resolve) => {
      front.#server.listen(0, "127.0.0.1", resolve);
    });
    return front;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    if (this.isDown) return void request.socket.destroy();
    response.setHeader("access-control-allow-origin", "*");
    if (request.method === "OPTIONS") return this.#allow(path, response);
    response.setHeader(
      "access-control-expose-headers",
      "Date, ETag, Retry-After, RateLimit, RateLimit-Policy",
    );
    try {
      const answer = await fetch(this.#target.url + path, await forwarded(request));
      const { status, headers } = answer;
      const named = ["content-type", "etag", "retry-after"].flatMap((name) => {
        const value = headers.get(name);
        return value === null ? [] : [[name, value] as const];
      });
      response.writeHead(status, Object.fromEntries(named)).end(Buffer.from(await answer.arrayBuffer()));
    } catch {
      request.socket.destroy();
    }
  }

  #allow(path: string, response: ServerResponse): void {
    this.preflights.push(path);
    response
      .writeHead(204, {
        "access-control-allow-methods": "GET, POST",
        "access-control-allow-headers": this.#allowedHeaders,
        "access-control-max-age": "7200",
      })
      .end();
  }
}

async function forwarded(request: IncomingMessage): Promise<RequestInit> {
  const { host, connection, "content-length": length, ...headers } = request.headers;
  const body = await buffer(request);
  return {
    method: request.method ?? "GET",
    headers: headers as Record<string, string>,
    ...(body.length > 0 ? { body } : {}),
  };
}
