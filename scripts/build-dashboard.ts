// Builds the dashboard if its sources changed. The launcher runs this before the service starts.
import { buildDashboard } from "../apps/dashboard/scripts/build.ts";

if (await buildDashboard()) console.error("Built the dashboard.");
