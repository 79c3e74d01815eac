import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";
import { createScene, daysAgo, sendUsers } from "./support/scenes.ts";

const WAIT = { timeout: 20_000 };

describe.skipIf(CHROMIUM === null)("when something fails, the dashboard", () => {
  let dashboard: Dashboard;
  let tab: Tab;
  let path: string;

  beforeAll(async () => {
    dashboard = await openDashboard();
    const experiment = await createScene(dashboard.service, "greeting");
    await sendUsers(dashboard.service, experiment, { day: daysAgo(1), users: 10 });
    path = `/experiments/${experiment.id}`;
    tab = await dashboard.open();
  });
  afterAll(() => dashboard?.close());

  const navigation = () => tab.page.getByRole("navigation", { name: "Main" });

  test("keeps the shell when a page's code cannot be loaded, and loads it at the next try", async () => {
    const { page } = tab;
    await page.route("**/assets/HealthTab-*.js", (route) => route.abort());
    await tab.goto(path);
    await page.getByRole("link", { name: "Health", exact: true }).click(WAIT);
    await page.getByText("This page could not be loaded").waitFor(WAIT);
    expect(await navigation().isVisible()).toBe(true);
    expect(await page.getByRole("heading", { level: 1, name: "greeting" }).isVisible()).toBe(true);
    expect(await tab.violations()).toEqual([]);
    await page.unroute("**/assets/HealthTab-*.js");
    await page.getByRole("button", { name: "Try again" }).click(WAIT);
    await page.getByRole("heading", { name: "Data health" }).waitFor(WAIT);
  });

  test("says that the connection is lost until the service answers again, on a page that reads nothing", async () => {
    const { page } = tab;
    await tab.goto("/alerts");
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("team");
    await page.getByRole("textbox", { name: "Address" }).fill("https://example.com");
    await page.route("**/v1/**", (route) => route.abort());
    await page.getByRole("button", { name: "Create channel" }).click(WAIT);
    const banner = page.getByText("The page keeps your input and shows the last data.");
    await banner.waitFor(WAIT);
    await page.unroute("**/v1/**");
    await banner.waitFor({ ...WAIT, state: "detached" });
  });

  test("shows the page for unknown addresses inside the shell", async () => {
    for (const unknown of ["/no/such/page", `${path}/nonsense`]) {
      await tab.goto(unknown);
      await tab.page.getByText("There is nothing at this address.").waitFor(WAIT);
      expect(await tab.page.getByRole("heading", { level: 1 }).count()).toBe(1);
      expect(await navigation().isVisible()).toBe(true);
      expect(await tab.violations()).toEqual([]);
    }
    const asked = async (path: string, accept: string) => {
      const answer = await fetch(`${dashboard.service.service.url}${path}`, { headers: { accept } });
      return `${answer.status} ${answer.headers.get("content-type")}`;
    };
    expect(await asked("/no/such/page", "text/html,*/*")).toBe("404 text/html; charset=utf-8");
    expect(await asked("/no/such/page", "*/*")).toBe("404 application/problem+json; charset=utf-8");
    expect(await asked("/v1/nonsense", "text/html")).toBe("404 application/problem+json; charset=utf-8");
    await tab.page.getByRole("link", { name: "All experiments" }).click(WAIT);
    await tab.page.getByRole("heading", { level: 1, name: "Experiments" }).waitFor(WAIT);
  });

  test("shows the other panels when one cannot be read or drawn", async () => {
    const { page } = tab;
    const live = "**/v1/experiments/*/live";
    await page.route(live, (route) => route.fulfill({ status: 500, body: "" }));
    await tab.goto(`${path}/live`);
    await page.getByRole("alert").filter({ hasText: "The service answered 500" }).first().waitFor(WAIT);
    expect(await page.getByRole("heading", { level: 1, name: "greeting" }).isVisible()).toBe(true);
    await page.unroute(live);
    // An answer that no version of the service gives: the panel breaks while it draws it.
    const health = "**/v1/experiments/*/health";
    await page.route(health, (route) =>
      route.fulfill({ status: 200, contentType: "application/json", body: '{"checks":[{"arms":7}]}' }),
    );
    await tab.goto(`${path}/health`);
    await page
      .getByText(/could not be shown|Something went wrong on this page/)
      .first()
      .waitFor(WAIT);
    expect(await navigation().isVisible()).toBe(true);
    await page.unroute(health);
  });
});
