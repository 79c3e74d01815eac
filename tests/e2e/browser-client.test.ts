import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../../clients/typescript/test-support/chromium.ts";
import { PageSite } from "../../clients/typescript/test-support/page-site.ts";
import { cleanUp, onCleanUp } from "./support/clean-up.ts";
import { type Access, createExperiment, openAccess } from "./support/experiment.ts";
import { expectOk, metric, type RunningService, startService } from "./support/service.ts";
import { readStoredEvents } from "./support/stored-events.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

const USERS = Array.from({ length: 50 }, (_, index) => `u-${index}`);
const executable = findChromium();

describe.skipIf(executable === null)("a page in Chromium with the real service on another origin", () => {
  let site: PageSite;
  let service: RunningService;
  let access: Access;
  let apiKey: string;
  beforeAll(async () => {
    service = await startService(temporaryFolder());
    access = await openAccess(service);
    await createExperiment(service, access, "greeting");
    const request = { headers: access.session, body: { scope: "publishable" } };
    ({ key: apiKey } = await expectOk(service.send<{ key: string }>("POST", "/v1/keys", request)));
    site = await PageSite.start(executable!);
    onCleanUp(() => site.stop());
  });
  afterAll(cleanUp);

  test("assigns as the service does, and loses no event to a service that is killed and a page that is left", async () => {
    const options = { apiKey, baseUrl: service.url, flushIntervalMs: 20 };
    const page = await site.openPage();
    expect(await page.evaluate((given) => openClient(given), options)).toBe(true);
    const assigned = await page.evaluate(
      (users) => users.map((user) => assay.assign("greeting", user)),
      USERS,
    );
    expect(assigned).toEqual(await Promise.all(USERS.map(assignByService)));
    expect(await page.evaluate(() => assay.flush())).toBe(true);

    service.program.signal("SIGKILL");
    await service.program.exited;
    await page.evaluate((users) => {
      trackFor(users);
      leaveFor("?later");
    }, USERS);
    await page.waitForURL(`${site.url}?later`);
    service = await startService(service.dataDir, { ASSAY_PORT: service.port });
    expect(await page.evaluate((given) => openClient(given), options)).toBe(true);
    await expect.poll(() => page.evaluate(() => countKept())).toBe(0);
    await until("all is stored", async () => (await metric(service, "assay_queue_batches")) === 0);
    await service.stop();

    const { analysis, eventIds, exposuresByVariant } = await readStoredEvents(service.dataDir);
    expect([analysis.length, new Set(eventIds).size]).toEqual([2 * USERS.length, 2 * USERS.length]);
    const countOf = (variant: string) => assigned.filter((answer) => answer === variant).length;
    expect(exposuresByVariant).toEqual({ control: countOf("control"), treatment: countOf("treatment") });
  });

  async function assignByService(user: string): Promise<string | null> {
    const body = { experiment_id: "greeting", user_id: user };
    const answer = service.send<{ variant: string | null }>("POST", "/v1/assign", {
      headers: access.key,
      body,
    });
    return (await expectOk(answer)).variant;
  }
});
