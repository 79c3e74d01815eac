import { addDays, dayOf } from "@assay/domain";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Wire } from "../../../apps/dashboard/src/api/types.ts";
import { metricBody, type WireExperiment } from "../../../apps/server/src/test-support/experiments.ts";
import {
  logsOf,
  newTraceId,
  type ShortLog,
  type ShortSpan,
  spanIdOf,
  tracesOf,
} from "../../../apps/server/src/test-support/otlp-bodies.ts";
import { tabTo } from "./support/keyboard.ts";
import { CHROMIUM, type Dashboard, openDashboard, type Tab } from "./support/open-dashboard.ts";
import { createScene, runNight } from "./support/scenes.ts";

const WAIT = { timeout: 80_000 };
const TOO_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth";

/** The service's clock runs ahead of the browser's, so that traces settle without waiting for half a minute. */
let ahead = 0;
const now = () => Date.now() + ahead;
let dashboard: Dashboard;

beforeAll(async () => {
  if (CHROMIUM !== null) dashboard = await openDashboard({ now });
});
afterAll(() => dashboard?.close());

const shown = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor(WAIT);

async function expectClean(tab: Tab): Promise<void> {
  expect(await tab.violations()).toEqual([]);
  expect(tab.complaints).toEqual([]);
  expect(await tab.page.evaluate(TOO_WIDE)).toBe(false);
}

/** The variables that the page shows. */
async function variablesOf(page: Page, label: string): Promise<Readonly<Record<string, string>>> {
  const text = await page.getByRole("region", { name: label }).locator("code").textContent(WAIT);
  const lines = (text ?? "").trim().split("\n");
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}

let exporter: { readonly endpoint: string; readonly headers: readonly [string, string] } | undefined;

/** Sends as an exporter does that has the page's variables. */
async function send(signal: "traces" | "logs", body: unknown): Promise<void> {
  exporter ??= {
    endpoint: `${dashboard.service.service.url}/v1/otlp`,
    headers: ["x-api-key", await dashboard.service.newKey("secret")],
  };
  const { endpoint, headers } = exporter;
  const response = await fetch(`${endpoint}/v1/${signal}`, {
    method: "POST",
    headers: { "content-type": "application/json", [headers[0]]: headers[1] },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}
const sendSpans = (spans: readonly ShortSpan[]) =>
  send("traces", tracesOf(spans, { name: "my-instrumentation", version: "2.1" }));
const sendLogs = (logs: readonly ShortLog[]) => send("logs", logsOf(logs));

const CALL = {
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": "openai",
  "gen_ai.request.model": "small",
};
const callIn = (traceId: string): ShortSpan => ({
  ...{ traceId, spanId: spanIdOf(2), at: now() - 1_000, attributes: CALL },
});
const evaluationIn = (traceId: string, flag: string, variant: string, user: string): ShortLog => ({
  ...{ traceId, spanId: spanIdOf(1), at: now() - 2_000, name: "feature_flag.evaluation" },
  attributes: {
    "feature_flag.key": flag,
    "feature_flag.result.variant": variant,
    "feature_flag.context.id": user,
  },
});

describe.skipIf(CHROMIUM === null)("an application that is already instrumented", () => {
  test("has its page linked from the first steps and from the setup", async () => {
    const experiment = await createScene(dashboard.service, "greeting");
    const tab = await dashboard.open();
    for (const path of ["/start", `/experiments/${experiment.id}/setup`]) {
      await tab.goto(path);
      await tab.page.getByRole("link", { name: "Already instrumented?" }).last().click(WAIT);
      await tab.page.getByRole("heading", { name: "Already instrumented?", level: 1 }).waitFor(WAIT);
      expect(new URL(tab.page.url()).pathname).toBe("/start/instrumented");
    }
    await tab.context.close();
  });

  test("a member sees the variables, and who can make the key", async () => {
    const tab = await dashboard.open({ role: "member", email: "member@example.com" });
    await tab.goto("/start/instrumented");
    await shown(tab.page, "There is no secret key yet. Ask an admin to create one");
    await shown(tab.page, "X-API-Key=svc_sk_…");
    await expectClean(tab);
    await tab.context.close();
  });

  test("gets a key in place, and sees its first span, what it lacks, and when it counts", async () => {
    const tab = await dashboard.open();
    const { page } = tab;
    await tab.goto("/start/instrumented");
    await shown(page, "Waiting for the first span of a model call…");
    await shown(page, "No model calls in the last 24 hours.");
    await page.getByText("Nothing arriving?").click(WAIT);
    await expectClean(tab);

    await page.getByRole("button", { name: "Create a secret key" }).click(WAIT);
    await shown(page, /^Secret key svc_sk_/);
    const variables = await variablesOf(page, "Variables for OpenTelemetry");
    const [name = "", key = ""] = (variables.OTEL_EXPORTER_OTLP_HEADERS ?? "").split("=");
    exporter = { endpoint: variables.OTEL_EXPORTER_OTLP_ENDPOINT ?? "", headers: [name, key] };
    expect(exporter.endpoint).toBe(`${dashboard.service.service.url}/v1/otlp`);

    const [lonely, joined] = [newTraceId(), newTraceId()];
    await sendSpans([callIn(lonely)]);
    // The page looks every two seconds.
    await page.getByText("Newest model call:").waitFor({ timeout: 15_000 });
    await shown(page, /small · my-instrumentation 2\.1 · opentelemetry-1\.37/);
    await shown(page, lonely);
    await shown(page, "It waits for the rest of its trace");
    ahead += 60_000;
    await shown(page, "It does not count yet: its trace has no evaluation of an experiment's flag.");
    await shown(page, /100% of the calls are in traces without the evaluation/);
    await shown(page, "Waiting for the first evaluation of a flag…");
    await expectClean(tab);

    await sendLogs([evaluationIn(joined, "greeting", "concise", "ann")]);
    await sendSpans([callIn(joined)]);
    await shown(page, "greeting is concise for ann, by a log record");
    ahead += 60_000;
    await shown(page, "It counts as a model call of its user and variant.");
    await shown(page, "2 calls in the last 24 hours: 1 counted, 1 without an experiment's flag.");
    await expectClean(tab);
    await tab.context.close();
  });

  test("finds Langfuse's variables with the keyboard; the address keeps the choice", async () => {
    const tab = await dashboard.open({ scheme: "dark", width: 390 });
    const { page } = tab;
    await tab.goto("/start/instrumented");
    await shown(page, "Newest model call:");
    await expectClean(tab);
    await tabTo(page, "OpenTelemetry");
    await page.keyboard.press("ArrowRight");
    const variables = await variablesOf(page, "Variables for Langfuse");
    expect(Object.keys(variables)).toEqual([
      ...["LANGFUSE_BASE_URL", "LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY"],
    ]);
    expect(variables.LANGFUSE_BASE_URL).toBe(dashboard.service.service.url);
    await page.waitForURL(/sender=langfuse/, WAIT);
    await page.getByRole("button", { name: "Fill it in below" }).click(WAIT);
    await expect
      .poll(async () => (await variablesOf(page, "Variables for Langfuse")).LANGFUSE_SECRET_KEY, WAIT)
      .toBe(exporter?.headers[1]);
    await expectClean(tab);
    await tab.goto("/start/instrumented?sender=langfuse");
    await shown(page, "LANGFUSE_PUBLIC_KEY=svc_pk_…");
    await tab.context.close();
  });

  test("sees what is wrong when the service does not answer, until it does", async () => {
    const tab = await dashboard.open();
    await tab.page.route("**/v1/telemetry", (route) => route.fulfill({ status: 500, json: {} }));
    await tab.goto("/start/instrumented");
    await tab.page.getByRole("alert").first().waitFor(WAIT);
    expect(await tab.violations()).toEqual([]);
    await tab.page.getByRole("button", { name: "Try again" }).first().waitFor(WAIT);
    await tab.page.unroute("**/v1/telemetry");
    await shown(tab.page, "Newest model call:");
    await tab.context.close();
  });
});

describe.skipIf(CHROMIUM === null)("a collector that keeps more traces of one variant", () => {
  let experiment: WireExperiment;

  /** 200 users per variant: all evaluations come, and the traces of 60% of control and of 90% of concise. */
  async function sendTraffic(): Promise<void> {
    const users = Array.from({ length: 400 }, (_, index) => {
      const variant = index % 2 === 0 ? "control" : "concise";
      const traceId = newTraceId();
      const at = now() - 2 * 3_600_000;
      const isKept = Math.floor(index / 2) % 10 < (variant === "control" ? 6 : 9);
      return {
        log: { ...evaluationIn(traceId, "tail", variant, `user-${index}`), at },
        spans: isKept ? [{ ...callIn(traceId), at, endsAt: at + 300 }] : [],
      };
    });
    await sendLogs(users.map(({ log }) => log));
    await sendSpans(users.flatMap(({ spans }) => spans));
  }

  test("causes withheld results, with advice", async () => {
    const { service } = dashboard;
    const metrics = [metricBody("latency", { kind: "ratio", category: "latency", role: "primary" })];
    experiment = await createScene(service, "tail", { metrics });
    // At three in the morning, so that all of it lies within one day.
    ahead += startOfNextDay() + 3 * 3_600_000 - now();
    await sendTraffic();
    ahead += 120_000;
    const calls = async () => {
      const path = `/v1/experiments/${experiment.id}/health`;
      const { checks } = (await service.call<Wire<"ExperimentHealth">>("GET", path)).body;
      const failed = checks.find(({ code }) => code === "error-rate");
      return Object.values(failed?.arms ?? {}).reduce((sum, { of }) => sum + of, 0);
    };
    await expect.poll(calls, WAIT).toBe(300);
    const day = dayOf(now());
    ahead += 86_400_000;
    expect(await runNight(service, experiment, day)).toBe("withheld");

    const tab = await dashboard.open();
    await tab.goto("/");
    await shown(tab.page, "Withheld: traces lost");
    await tab.goto(`/experiments/${experiment.id}`);
    await shown(tab.page, "Results are withheld: the variants lose different shares of their traces");
    await shown(tab.page, /concise 10%, control 40%/);
    await expectClean(tab);
    await tab.page.getByRole("link", { name: "See the health checks" }).click(WAIT);
    await shown(tab.page, "Lost traces");
    expect(await tab.violations()).toEqual([]);
    await tab.context.close();
  }, 180_000);
});

/** The next midnight of the service's clock. */
function startOfNextDay(): number {
  return Date.parse(`${addDays(dayOf(now()), 1)}T00:00:00Z`);
}
