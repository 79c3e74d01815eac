import { writeApiTypes } from "../apps/dashboard/scripts/api-types.ts";
import { buildDashboard } from "../apps/dashboard/scripts/build.ts";

/** Builds the dashboard once, before test files that need it run side by side, and makes the types that editors need. */
export async function setup(): Promise<void> {
  await writeApiTypes();
  await buildDashboard();
}
