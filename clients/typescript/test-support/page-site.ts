import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { build } from "esbuild";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import type { ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { bundle } from "../scripts/bundle.ts";
import type { Client } from "../src/client.ts";
import type { FullClientOptions } from "../src/client-options.ts";
import { startService } from "./client-fixture.ts";
import { CrossOriginFront } from "./cross-origin-front.ts";

/** The options that can be passed to a page. */
export type PageOptions = Omit<
  FullClientOptions,
  "fetch" | "log" | "mask" | "newId" | "now" | "schedule" | "waitUntil"
>;

/** The globals of a page of the site. */
declare global {
  var AssayClient: new (options?: FullClientOptions) => Client;
  var assay: Client;
  /** What the client logged. */
  var lines: string[];
  /** Makes `assay`, whose waits are `haste` times as fast. Resolves whether it became ready. */
  var openClient: (options: PageOptions, haste?: number) => Promise<boolean>;
  /** Tracks an event for each user, with a text of this length. */
  var trackFor: (users: readonly string[], textLength?: number) => void;
  var leaveFor: (url: string) => void;
  /** How many events IndexedDB holds. */
  var countKept: () => Promise<number>;
  var loadOpenAi: () => Promise<typeof import("openai").OpenAI>;
}

const BACK_FORWARD_OFF = "--disable-back-forward-cache";
const PAGE = `<!doctype html><title>A page</title><script type="module">
  import { Client } from "/index.browser.js";
  globalThis.AssayClient = Client;
  globalThis.lines = [];
  globalThis.openClient = (options, haste) => {
    const log = { warn: (line) => lines.push(line), error: (line) => lines.push(line) };
    const schedule = haste && ((delayMs, task) => {
      const timer = setTimeout(task, delayMs / haste);
      return () => clearTimeout(timer);
    });
    globalThis.assay = new Client({ ...options, log, schedule });
    return assay.ready(5_000 * (haste ?? 1));
  };
  globalThis.trackFor = (users, textLength = 0) => {
    for (const user_id of users) {
      const metadata = { text: "x".repeat(textLength) };
      assay.track("business_event", { experiment_id: "greeting", user_id, business_metric: "bought", metadata });
    }
  };
  globalThis.leaveFor = (url) => location.assign(url);
  globalThis.countKept = async () => {
    const found = await indexedDB.databases();
    // Opening a missing database would create it.
    if (!found.some(({ name }) => name === "assay-offline")) return 0;
    const outcome = (request) => new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const database = await outcome(indexedDB.open("assay-offline"));
    const count = await outcome(database.transaction("events").objectStore("events").count());
    database.close();
    return count;
  };
  globalThis.loadOpenAi = async () => (await import("/openai.js")).OpenAI;
</script>`;

/** A site whose pages have the built client, and the service on another origin. */
export class PageSite {
  readonly browser: Browser;
  readonly service: ScriptedServer;
  readonly front: CrossOriginFront;
  readonly #pages: Server;

  private constructor(browser: Browser, service: ScriptedServer, front: CrossOriginFront, pages: Server) {
    this.browser = browser;
    this.service = service;
    this.front = front;
    this.#pages = pages;
  }

  static async start(executablePath: string): Promise<PageSite> {
    const client = await bundle({ entry: "index", runtime: "browser", format: "esm" });
    const files = new Map([...client, ["openai.js", await bundleOpenAi()]]);
    const service = await startService();
    const [browser, front, pages] = await Promise.all([
      // Playwright disables the back/forward cache that every visitor has.
      chromium.launch({ executablePath, args: ["--no-sandbox"], ignoreDefaultArgs: [BACK_FORWARD_OFF] }),
      CrossOriginFront.start(service),
      servePages(files),
    ]);
    return new PageSite(browser, service, front, pages);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#pages.address() as AddressInfo).port}/`;
  }

  /** The options of a client of the service. */
  options(options: PageOptions = {}): PageOptions {
    return { apiKey: "svc_pk_1", baseUrl: this.front.url, flushIntervalMs: 20, ...options };
  }

  /** Opens a page without a client, in a new browser profile unless one is given. */
  async openPage(context?: BrowserContext): Promise<Page> {
    const page = await (context ?? (await this.browser.newContext())).newPage();
    await page.goto(this.url);
    return page;
  }

  /** Every event that the service acknowledged, repeats included. */
  get events(): readonly Record<string, unknown>[] {
    return this.service.batches.flat();
  }

  async stop(): Promise<void> {
    await this.browser.close();
    this.#pages.closeAllConnections();
    this.#pages.close();
    await this.front.stop();
    await this.service.stop();
  }
}

async function servePages(files: ReadonlyMap<string, string>): Promise<Server> {
  const server = createServer(({ url = "" }, response) => {
    const script = files.get(url.slice(1));
    response.setHeader("content-type", script === undefined ? "text/html" : "text/javascript");
    response.end(script ?? PAGE);
  });
  await new Promise<void>((done) => {
    server.listen(0, "127.0.0.1", done);
  });
  return server;
}

async function bundleOpenAi(): Promise<string> {
  const stdin = {
    contents: `export { default as OpenAI } from "openai";`,
    resolveDir: resolve(import.meta.dirname),
  };
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  return outputFiles.map(({ text }) => text).join("");
}
