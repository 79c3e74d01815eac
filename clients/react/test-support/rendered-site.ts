import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { type Browser, chromium, type Page } from "playwright-core";
import { ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { CrossOriginFront } from "../../typescript/test-support/cross-origin-front.ts";
import type { PageProps } from "./page-app.ts";
import type { InPage } from "./page-browser.ts";
import type { ReactVersion } from "./react-versions.ts";

export const ACK = { status: 202, body: { accepted: 1, config_version: 1, rejected: [] } };

type Render = (props: PageProps) => string;

/**
 * A site that renders its pages with one version of React and hydrates them in a browser; the service runs beside
 * it.
 */
export class RenderedSite {
  readonly service: ScriptedServer;
  readonly #front: CrossOriginFront;
  readonly #browser: Browser;
  readonly #pages: Server;
  readonly #folder: string;
  #html = "";
  readonly #render: Render;

  private constructor(parts: {
    readonly service: ScriptedServer;
    readonly front: CrossOriginFront;
    readonly browser: Browser;
    readonly script: string;
    readonly folder: string;
    readonly render: Render;
  }) {
    this.service = parts.service;
    this.#front = parts.front;
    this.#browser = parts.browser;
    this.#folder = parts.folder;
    this.#render = parts.render;
    this.#pages = createServer(({ url }, response) => {
      const isScript = url === "/page.js";
      response.setHeader("content-type", isScript ? "text/javascript" : "text/html; charset=utf-8");
      response.end(isScript ? parts.script : this.#html);
    });
  }

  static async start(executablePath: string, { modules }: ReactVersion): Promise<RenderedSite> {
    const folder = mkdtempSync(join(tmpdir(), "assay-react-"));
    const module = join(folder, "server.cjs");
    writeFileSync(module, await bundle("page-server.ts", modules, { platform: "node", format: "cjs" }));
    const { default: server } = (await import(pathToFileURL(module).href)) as {
      readonly default: { readonly render: Render };
    };
    const script = await bundle("page-browser.ts", modules, { platform: "browser", format: "esm" });
    const service = await ScriptedServer.start();
    service.script("/v1/events", ACK);
    const [front, browser] = await Promise.all([
      CrossOriginFront.start(service),
      chromium.launch({ executablePath, args: ["--no-sandbox"] }),
    ]);
    const site = new RenderedSite({ service, front, browser, script, folder, render: server.render });
    await new Promise<void>((done) => {
      site.#pages.listen(0, "127.0.0.1", done);
    });
    return site;
  }

  /** Renders a page on the server and returns its HTML, which is what `open` opens. */
  render(
    users: PageProps["users"],
    { suspends, ...options }: Partial<PageProps["options"]> & Pick<PageProps, "suspends"> = {},
  ): string {
    const props: PageProps = {
      users,
      suspends,
      options: { apiKey: "svc_pk_1", baseUrl: this.#front.url, flushIntervalMs: 20, ...options },
    };
    const markup = this.#render(props);
    this.#html = `<!doctype html><title>A page</title><div id="root">${markup}</div>
<script>globalThis.props = ${JSON.stringify(props)}</script><script type="module" src="/page.js"></script>`;
    return markup;
  }

  /** Opens the rendered page, in the profile of an earlier page if given, and waits until it is hydrated. */
  async open(query = "", before?: Page): Promise<Page> {
    const page = await (before?.context() ?? (await this.#browser.newContext())).newPage();
    await page.goto(`http://127.0.0.1:${(this.#pages.address() as AddressInfo).port}/${query}`);
    await page.waitForFunction(() => "inPage" in globalThis && inPage.seen.mounts > 0);
    return page;
  }

  /** The events of a type, ordered by user. */
  sent(type: string): readonly Record<string, unknown>[] {
    const events = this.service.batches.flat().filter((event) => event.type === type);
    return events.sort((one, other) => String(one.user_id).localeCompare(String(other.user_id)));
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    this.#pages.closeAllConnections();
    this.#pages.close();
    await this.#front.stop();
    await this.service.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** What a page reports about itself. */
export const inPageOf = (page: Page): Promise<Pick<InPage, "shown" | "faults">> =>
  page.evaluate(() => ({ shown: inPage.shown, faults: inPage.faults }));

async function bundle(entry: string, modules: string, options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, entry)],
    bundle: true,
    write: false,
    // With React's warnings.
    define: { "process.env.NODE_ENV": '"development"' },
    alias: { react: join(modules, "react"), "react-dom": join(modules, "react-dom") },
    logLevel: "silent",
    ...options,
  });
  return outputFiles?.map(({ text }) => text).join("") ?? "";
}
