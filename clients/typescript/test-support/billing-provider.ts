import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { answerOf, type Behavior, type Bill, TEXT, withNextTool } from "./billed-answers.ts";

/**
 * A provider that speaks the wire formats of OpenAI, Anthropic and Google, and keeps a ledger of what it billed. Each call costs
 * different numbers of tokens, so a call that is mixed up or counted twice shows.
 */
export class BillingProvider {
  /** The tokens of each call, by the names of a `model_call`. */
  ledger: Bill[] = [];
  /** Resolves once a stream stops after its first text. */
  stalled = Promise.resolve();
  #behavior: Behavior = {};
  #failures = 0;
  #count = 0;
  #noteStall: () => void = () => {};
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<BillingProvider> {
    const provider = new BillingProvider();
    await new Promise<void>((resolve) => provider.#server.listen(0, "127.0.0.1", resolve));
    return provider;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Starts a new ledger. */
  reset(behavior: Behavior): void {
    this.ledger = [];
    this.#behavior = behavior;
    this.#failures = behavior.failures ?? 0;
    this.stalled = new Promise((resolve) => {
      this.#noteStall = resolve;
    });
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Enters a call into the ledger. */
  #bill(kind: string): Bill {
    const count = ++this.#count;
    const { caches, reasons } = this.#behavior;
    const bill: Bill = {
      input_tokens: 1_000 + 7 * count,
      ...(kind !== "embedding" && { output_tokens: 100 + count }),
      ...(caches && { cached_input_tokens: 300 + count }),
      ...(caches && kind === "anthropic" && { cache_write_5m_tokens: 200 + count }),
      ...(reasons && { reasoning_tokens: 40 + count }),
    };
    this.ledger.push(bill);
    return bill;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await text(request));
    if (this.#failures > 0) {
      this.#failures--;
      const error = { type: "server_error", message: "out of order", code: this.#behavior.status };
      const headers = { "content-type": "application/json", "retry-after-ms": "1" };
      response.writeHead(this.#behavior.status ?? 500, headers).end(JSON.stringify({ type: "error", error }));
      return;
    }
    const asked = this.#behavior.oneByOne ? withNextTool(body) : body;
    const { whole, events } = answerOf(request.url ?? "", asked, (kind) => this.#bill(kind));
    if (!events) {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) {
      const data = typeof event === "string" ? event : JSON.stringify(event);
      const name = typeof event === "object" && "type" in event ? `event: ${event.type}\n` : "";
      response.write(`${name}data: ${data}\n\n`);
      if (this.#behavior.stalls && data.includes(TEXT[0])) {
        this.#noteStall();
        return;
      }
    }
    response.end();
  }
}
