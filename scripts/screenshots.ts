// Writes the pictures in docs/screenshots: the real service with the demo experiment, in a real Chromium.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { buildDashboard } from "../apps/dashboard/scripts/build.ts";
import { CHROMIUM, openDashboard } from "../tests/e2e/dashboard/support/open-dashboard.ts";

const folder = join(import.meta.dirname, "../docs/screenshots");

interface Picture {
  readonly name: string;
  /** `{id}` stands for the demo experiment. */
  readonly path: string;
  readonly width?: 1280 | 390;
  readonly scheme?: "light" | "dark";
}

const PICTURES: readonly Picture[] = [
  { name: "experiments", path: "/" },
  { name: "results", path: "/experiments/{id}" },
  { name: "results-dark", path: "/experiments/{id}", scheme: "dark" },
  { name: "results-narrow", path: "/experiments/{id}", width: 390 },
  { name: "metric", path: "/experiments/{id}?metric=answer_tokens::concise" },
  { name: "new-experiment", path: "/experiments/new" },
  { name: "first-steps", path: "/start" },
  { name: "calls", path: "/experiments/{id}/calls" },
];

if (CHROMIUM === null) process.exit(1);
mkdirSync(folder, { recursive: true });
await buildDashboard();
const dashboard = await openDashboard();
try {
  const { status, body } = await dashboard.service.call<{ id: string }>("POST", "/v1/demo");
  if (status !== 200) throw new Error(`The demo could not be loaded: ${JSON.stringify(body)}`);
  for (const { name, path, width = 1280, scheme = "light" } of PICTURES) {
    const tab = await dashboard.open({ width, scheme });
    await tab.goto(path.replace("{id}", body.id));
    await tab.page.screenshot({ path: join(folder, `${name}.png`) });
    await tab.context.close();
    console.log(`docs/screenshots/${name}.png`);
  }
} finally {
  await dashboard.close();
}
process.exit(0);
