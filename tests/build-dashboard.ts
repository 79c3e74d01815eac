import { buildDashboard } from "../apps/dashboard/scripts/build.ts";

/** Builds the dashboard once, before test files that need it run side by side. */
export async function setup(): Promise<void> {
  await buildDashboard();
}
