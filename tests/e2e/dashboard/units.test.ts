import { DAY_MS, toInstant } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  experimentBody,
  metricBody,
  type WireExperiment,
} from "../../../apps/server/src/test-support/experiments.ts";
import { CHROMIUM, type Dashboard, openDashboard } from "./support/open-dashboard.ts";

const PATIENCE = { timeout: 80_000 };
const USERS = 40;
const SHOWN = [
  { width: 1440, scheme: "light" },
  { width: 390, scheme: "dark" },
] as const;

describe.skipIf(CHROMIUM === null)("the pages of units", () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await openDashboard();
  });
  afterAll(() => dashboard?.close());

  async function create(name: string, change: Readonly<Record<string, unknown>>): Promise<WireExperiment> {
    const metrics = [metricBody("latency", { kind: "ratio", category: "latency" })];
    const body = experimentBody(name, { metrics, ...change });
    return (await dashboard.service.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
  }

  async function send(events: readonly object[]): Promise<void> {
    const key = await dashboard.service.newKey("publishable");
    const sent = await dashboard.service.call("POST", "/v1/events", { key, body: { events } });
    expect(sent.body).toMatchObject({ accepted: events.length, rejected: [] });
  }

  // First, because it speaks of all that the org's users did.
  test("say what smaller units would gain", async () => {
    const { id } = await create("chat", { status: "running" });
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    await send(
      Array.from({ length: 2 * USERS }, (_, i) => ({
        ...{
          type: "model_call",
          event_id: `m${i}`,
          experiment_id: id,
          user_id: `v${i >> 1}`,
          cost_usd: 1 + (i >> 1),
        },
        ...{ timestamp: toInstant(today - DAY_MS + 3_600_000), metadata: { conversation_id: `c${i % 2}` } },
      })),
    );
    const plan = async () =>
      (
        await dashboard.service.call<{ users_per_day: { value: number } | null }>(
          "POST",
          `/v1/experiments/${id}/plan`,
          { body: {} },
        )
      ).body.users_per_day?.value ?? 0;
    await expect.poll(plan, PATIENCE).toBeGreaterThan(USERS - 1);
    for (const visitor of SHOWN) {
      const { page, goto, violations } = await dashboard.open(visitor);
      await goto("/experiments/new");
      const form = page.getByRole("textbox", { name: "Name", exact: true });
      await form.fill(`new-${visitor.width}`);
      await page.getByRole("button", { name: "Cost per user" }).click();
      await page
        .getByText(/Users have 2 conversations on average, .* 2 times fewer conversations would be enough/)
        .first()
        .waitFor(PATIENCE);
      expect(await violations()).toEqual([]);
      await page.close();
    }
  });

  test("count conversations and, next to them, their users", async () => {
    const { id } = await create("threads", { unit: "conversation", status: "running" });
    await send(
      Array.from({ length: 3 * USERS }, (_, i) => ({
        ...{
          type: "exposure",
          event_id: `x${i}`,
          experiment_id: id,
          variant: i % 2 ? "control" : "treatment",
        },
        ...{ user_id: `u${i % USERS}`, unit_id: `c${i}`, timestamp: toInstant(Date.now() - 1_000) },
      })),
    );
    const { call } = dashboard.service;
    const overview = async () =>
      (await call<{ users_of_units?: number }>("GET", `/v1/experiments/${id}/overview`)).body.users_of_units;
    await expect.poll(overview, PATIENCE).toBe(USERS);
    for (const visitor of SHOWN) {
      const { page, goto, violations, complaints } = await dashboard.open(visitor);
      await goto(`/experiments/${id}/live`);
      await page.getByText("120 conversations of 40 users", { exact: false }).first().waitFor(PATIENCE);
      expect(await violations()).toEqual([]);
      await goto(`/experiments/${id}/health`);
      await page.getByText("120 conversations of 40 users", { exact: false }).first().waitFor(PATIENCE);
      expect([await violations(), complaints]).toEqual([[], []]);
      await page.close();
    }
  });
});
