// Writes the pictures in docs/screenshots from the real service with the demo experiment, in a real Chromium.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { buildDashboard } from "../apps/dashboard/scripts/build.ts";
import { CHROMIUM, openDashboard } from "../tests/e2e/dashboard/support/open-dashboard.ts";
import {
  changeScene,
  createScene,
  daysAgo,
  runNight,
  sendUsers,
} from "../tests/e2e/dashboard/support/scenes.ts";

const folder = join(import.meta.dirname, "../docs/screenshots");

interface Picture {
  readonly name: string;
  /** `{id}` stands for the demo experiment. */
  readonly path: string;
  readonly width?: 1280 | 390;
  readonly height?: number;
  readonly scheme?: "light" | "dark";
  /** Actions on the page before the screenshot. */
  readonly fill?: (page: Page) => Promise<void>;
}

const PICTURES: readonly Picture[] = [
  { name: "experiments", path: "/" },
  { name: "results", path: "/experiments/{id}", height: 2000 },
  { name: "results-dark", path: "/experiments/{id}", height: 2000, scheme: "dark" },
  { name: "results-narrow", path: "/experiments/{id}", width: 390 },
  { name: "metric", path: "/experiments/{id}?metric=answer_tokens::concise" },
  { name: "new-experiment", path: "/experiments/new", height: 1700, fill: fillForm },
  { name: "judge", path: "/judges/{id}/judge_preference", height: 1900 },
  { name: "first-steps", path: "/start" },
  { name: "calls", path: "/experiments/{id}/calls" },
];

/** Experiments in states that the demo does not have. */
async function makeOthers(): Promise<void> {
  const { service } = dashboard;
  await createScene(service, "tone-of-voice", { status: "draft" });
  await createScene(service, "model-upgrade");
  const won = await createScene(service, "shorter-greeting");
  const off = await createScene(service, "retrieval-depth");
  const collecting = await createScene(service, "ask-before-answering");
  await sendUsers(service, won, { day: daysAgo(1), users: 500 });
  await sendUsers(service, off, { day: daysAgo(1), users: 700, conciseOfTen: 4 });
  await sendUsers(service, collecting, { day: daysAgo(1), users: 90 });
  for (const experiment of [won, off, collecting]) await runNight(service, experiment, daysAgo(1));
  const decision = { outcome: "won", variant: "concise", note: "Cheaper, and nobody minds." };
  await changeScene(service, won, { status: "stopped", decision });
}

async function fillForm(page: Page): Promise<void> {
  const write = (name: string, text: string) => page.getByRole("textbox", { name, exact: true }).fill(text);
  await write("Name", "shorter-summaries");
  await write(
    "Hypothesis",
    "We believe that shorter summaries will cost less because nobody reads to the end.",
  );
  await write(
    "Prompt of control",
    "Summarize the conversation for a support agent. Name every open question.",
  );
  await write(
    "Prompt of treatment",
    "Summarize the conversation for a support agent in three sentences. Name every open question.",
  );
  for (const name of ["Cost per user", "p95 latency"]) await page.getByRole("button", { name }).click();
  await page.locator(".plan-sentence").waitFor();
  await page.evaluate("scrollTo(0, 0)");
}

if (CHROMIUM === null) process.exit(1);
mkdirSync(folder, { recursive: true });
await buildDashboard();
const dashboard = await openDashboard();
try {
  const { status, body } = await dashboard.service.call<{ id: string }>("POST", "/v1/demo");
  if (status !== 200) throw new Error(`The demo could not be loaded: ${JSON.stringify(body)}`);
  await makeOthers();
  for (const { name, path, width = 1280, height = 900, scheme = "light", fill } of PICTURES) {
    const tab = await dashboard.open({ width, scheme });
    await tab.page.setViewportSize({ width, height });
    await tab.goto(path.replace("{id}", body.id));
    await tab.page.getByRole("heading", { level: 1 }).first().waitFor();
    await fill?.(tab.page);
    await tab.page.screenshot({ path: join(folder, `${name}.png`) });
    await tab.context.close();
    console.log(`docs/screenshots/${name}.png`);
  }
} finally {
  await dashboard.close();
}
process.exit(0);
