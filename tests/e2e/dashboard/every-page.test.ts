import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { experimentBody, metricBody } from "../../../apps/server/src/test-support/experiments.ts";
import { putJudgedRehearsal } from "../../../apps/server/src/test-support/rehearsal-requests.ts";
import { CHROMIUM, type Dashboard, openDashboard } from "./support/open-dashboard.ts";
import { PAGES } from "./support/pages.ts";

const ROUTES = resolve(import.meta.dirname, "../../../apps/dashboard/src/routes.tsx");
const PATIENCE = { timeout: 80_000 };
/** What the page for a failure says. */
const FAILED = /Something went wrong|could not be loaded|There is nothing at this address/;

let dashboard: Dashboard;
/** What an owner sees, and what people without a session do. */
const ofOwner: string[] = [];
const ofStranger: string[] = [];

beforeAll(async () => {
  if (CHROMIUM === null) return;
  dashboard = await openDashboard();
  const { service } = dashboard;
  await service.call("POST", "/v1/demo", { body: { demo: "support-tone" } });
  const { body } = await service.call<readonly { id: string }[]>("GET", "/v1/experiments");
  const signup = metricBody("signup", { kind: "binary", shared_org_wide: true });
  await service.call("POST", "/v1/experiments", { body: experimentBody("pricing", { metrics: [signup] }) });
  const link = await service.call<{ path: string }>("POST", `/v1/experiments/${body[0]!.id}/report-links`, {
    body: {},
  });
  ofStranger.push("/sign-in", link.body.path);
  const { org_id } = (await service.call<{ org_id: string }>("GET", "/v1/whoami")).body;
  const rehearsal = (await putJudgedRehearsal({ api: service, orgId: org_id })).path.replace("/v1", "");
  ofOwner.push(
    ...[rehearsal, `${rehearsal}/picks`],
    ...PAGES.map((page) => page.replace("ID", body[0]!.id)),
    "/catalogue/signup",
    `/platform/orgs/${org_id}`,
  );
}, 300_000);
afterAll(() => dashboard?.close());

/** The paths of the routes, as patterns. */
function routePatterns(): readonly RegExp[] {
  const text = readFileSync(ROUTES, "utf8");
  const routes = text.matchAll(
    /const (\w+) = createRoute\(\{\s+getParentRoute: \(\) => (\w+),\s+path: "([^"]+)"/g,
  );
  const paths = new Map<string, string>();
  for (const [, name = "", parent = "", path = ""] of routes)
    paths.set(name, `${paths.get(parent) ?? ""}${path}`.replace(/(?<=.)\/$/, ""));
  // `$` is every other address.
  paths.delete("unknown");
  return [...paths.values()].map((path) => new RegExp(`^${path.replaceAll(/\$\w*/g, "[^/]+")}$`));
}

describe.skipIf(CHROMIUM === null)("every page of the dashboard", () => {
  test("is listed in this file", () => {
    const patterns = routePatterns();
    expect(patterns.length).toBeGreaterThan(30);
    const isListed = (pattern: RegExp) =>
      [...ofOwner, ...ofStranger].some((page) => pattern.test(page.replace(/#.*/, "")));
    expect(patterns.filter((pattern) => !isListed(pattern)).map(String)).toEqual([]);
  });

  test.each([
    { who: "an owner", pages: ofOwner },
    { who: "a stranger", pages: ofStranger },
  ])("loads without browser errors and is accessible, for $who", async ({ who, pages }) => {
    const tab = await dashboard.open();
    if (who === "a stranger") await tab.context.clearCookies();
    const faults: string[] = [];
    for (const page of pages) {
      const answer = await fetch(new URL(page, dashboard.service.service.url), {
        headers: { accept: "text/html" },
      });
      if (answer.status !== (page === "/nowhere" ? 404 : 200)) faults.push(`${page}: ${answer.status}`);
      await tab.goto(page);
      await tab.page.getByRole("heading", { level: 1 }).first().waitFor(PATIENCE);
      const text = await tab.page.locator("body").innerText();
      if (page !== "/nowhere" && FAILED.test(text)) faults.push(`${page}: ${text.slice(0, 200)}`);
      faults.push(...(await tab.violations()).map((violation) => `${page}: ${violation}`));
    }
    expect(faults).toEqual([]);
    expect(tab.complaints).toEqual([]);
    await tab.context.close();
  });
});
