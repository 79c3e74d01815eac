import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Clock, Role } from "@assay/domain";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { buildDashboard } from "../../../../apps/dashboard/scripts/build.ts";
import type { Settings } from "../../../../apps/server/src/settings.ts";
import { openTestService, type TestService } from "../../../../apps/server/src/test-support/test-service.ts";
import { findChromium } from "../../../../clients/typescript/test-support/chromium.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export interface Visitor {
  readonly role?: Role;
  /** Whose session; the local owner's when nothing is said: the platform owner. */
  readonly email?: string;
  /** Pixels; 1280 when nothing is said. The height is 900. */
  readonly width?: number;
  readonly scheme?: "light" | "dark";
}

/** A tab of a signed-in person. */
export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Opens a path and waits until loading has finished. */
  goto(path: string): Promise<void>;
  /** Errors that the browser logged: script errors, refused styles, failed loads. */
  readonly complaints: readonly string[];
  /** Violations that axe finds on the page as it stands: "rule: target". */
  violations(): Promise<readonly string[]>;
}

/** The real service with the built dashboard, and a real Chromium. */
export interface Dashboard {
  readonly service: TestService;
  /** Opens a tab in a profile of its own. */
  open(visitor?: Visitor): Promise<Tab>;
  close(): Promise<void>;
}

/** Null, with a log line, without Chromium. */
export const CHROMIUM = findChromium();

/** Starts the service, on embedded engines unless the settings say otherwise, and a browser. */
export async function openDashboard(clock?: Clock, settings: Partial<Settings> = {}): Promise<Dashboard> {
  await buildDashboard();
  const service = await openTestService(settings, clock);
  const browser = await chromium.launch({ executablePath: CHROMIUM ?? "", args: ["--no-sandbox"] });
  return {
    service,
    open: (visitor = {}) => openTab(browser, service, visitor),
    async close() {
      await browser.close();
      await service.stop();
    },
  };
}

async function openTab(
  browser: Browser,
  service: TestService,
  { role, email, width = 1280, scheme = "light" }: Visitor,
): Promise<Tab> {
  const context = await browser.newContext({
    baseURL: service.service.url,
    viewport: { width, height: 900 },
    colorScheme: scheme,
    reducedMotion: "reduce",
  });
  const subject = { ...(role === undefined ? {} : { role }), ...(email === undefined ? {} : { email }) };
  await context.addCookies([
    { name: "__session", value: await service.token(subject), url: service.service.url, httpOnly: true },
  ]);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    // A 404 or 409 of the API is an expected answer that the page explains; Chromium logs it as an error too.
    if (message.type() === "error" && !/Failed to load resource.*status of/.test(message.text()))
      complaints.push(message.text());
  });
  return {
    page,
    context,
    complaints,
    async goto(path) {
      await page.goto(path, { waitUntil: "networkidle" });
    },
    violations: () => violationsOf(page),
  };
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly target: unknown }[];
  }[];
}

/** React Aria keeps announced text for some seconds, named by a button that may be gone by then. */
const RUN_AXE = `axe.run({ exclude: [["[data-live-announcer]"]] }, { resultTypes: ["violations"] })`;

async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResult>(RUN_AXE);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${JSON.stringify(target)}`));
}
