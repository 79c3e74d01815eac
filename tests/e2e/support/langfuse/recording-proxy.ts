import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { tracesFromProtobuf } from "../../../../apps/server/src/test-support/otlp-bodies.ts";

/** A request as it was sent, and the status that it got. */
export interface Recorded {
  readonly method: string;
  readonly path: string;
  /** What tells the SDK. */
  readonly headers: Readonly<Record<string, string>>;
  /** OTLP in the form of JSON, without its resource; null: none. */
  readonly body: unknown;
  readonly status: number;
}

const SDK_HEADER = /^x[-_]langfuse[-_]sdk[-_](name|version)$/;

/** Passes requests on to a service and keeps what they said. */
export class RecordingProxy {
  requests: Recorded[] = [];
  readonly #target: string;
  readonly #server: Server;

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer((request, response) => void this.#pass(request, response));
  }

  static async start(target: string): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url: path = "/", headers } = request;
    const body = await buffer(request);
    const passed = Object.entries(headers).filter(([name]) => /^(authorization|content-|x[-_])/.test(name));
    const answer = await fetch(this.#target + path, {
      method,
      headers: passed.filter(([name]) => name !== "content-length") as [string, string][],
      ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
    });
    const known = Object.entries(headers).filter(([name]) => SDK_HEADER.test(name)) as [string, string][];
    const { status } = answer;
    this.requests.push({
      method,
      path,
      headers: Object.fromEntries(known),
      body: readBody(body, headers),
      status,
    });
    response.writeHead(status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    response.end(Buffer.from(await answer.arrayBuffer()));
  }
}

function readBody(
  body: Buffer,
  { "content-encoding": encoding, "content-type": type }: IncomingMessage["headers"],
) {
  if (body.length === 0) return null;
  const plain = encoding === "gzip" ? gunzipSync(body) : body;
  const value = type === "application/x-protobuf" ? tracesFromProtobuf(plain) : JSON.parse(String(plain));
  return withoutResources(value);
}

/** A resource names the machine. */
function withoutResources(value: { readonly resourceSpans?: readonly object[] }): unknown {
  if (value.resourceSpans === undefined) return value;
  return { resourceSpans: value.resourceSpans.map((one) => ({ ...one, resource: undefined })) };
}
