import { findAssignmentIn } from "@assay/client/rendering";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findChromium } from "../../typescript/test-support/chromium.ts";
import { config, GREETING } from "../test-support/config.ts";
import { reactVersions } from "../test-support/react-versions.ts";
import { ACK, inPageOf, RenderedSite } from "../test-support/rendered-site.ts";

const executable = findChromium();
const bootstrap = config(1);
const users = Array.from({ length: 30 }, (_, index) => `user-${index}`);
const variantOf = (user: string) => findAssignmentIn(bootstrap, "greeting", user)?.variant.key ?? null;
const inVariant = (key: string) => users.find((user) => variantOf(user) === key)!;
const [ann, bob] = [inVariant("brief"), inVariant("control")];

/** What a component shows to a user. */
const view = (user: string | null, variant: string | null) =>
  variant === "brief"
    ? { user, variant, prompt: "Be brief.", fallback: false, tone: "warm", limit: 3 }
    : { user, variant, prompt: "Answer.", fallback: true, tone: "plain", limit: 3 };
const text = (...views: readonly object[]) => views.map((each) => JSON.stringify(each)).join("\n");

describe.skipIf(executable === null).each(reactVersions())("a page of $name", (version) => {
  let site: RenderedSite;
  beforeAll(async () => {
    site = await RenderedSite.start(executable!, version);
  });
  afterAll(() => site?.stop());
  beforeEach(() => {
    site.service.reset({ "/v1/config": [{ status: 200, body: config(1) }], "/v1/events": [ACK] });
  });

  const shows = async (page: Page, ...texts: readonly string[]) => {
    await expect.poll(() => inPageOf(page)).toEqual({ shown: texts, faults: [] });
  };

  test("shows what the server rendered from the first paint, and records one exposure per user", async () => {
    const html = site.render(users, { bootstrap, suspends: true });
    const expected = users.map((user) => view(user, variantOf(user)));
    expect(html.replaceAll("&quot;", '"')).toContain(JSON.stringify(expected[0]));
    expect(site.service.requests).toEqual([]);

    const page = await site.open();
    await expect.poll(() => site.sent("exposure")).toHaveLength(users.length);
    await page.locator("button").first().click();
    await expect.poll(() => site.sent("business_event")).toHaveLength(1);
    await shows(page, text(...expected));
    // One client per page, also in strict mode and with many providers. What was rendered but never shown is not
    // exposed.
    expect(site.service.at("/v1/config")).toHaveLength(1);
    expect(site.sent("exposure")).toHaveLength(users.length);
    for (const user of users)
      expect(site.sent("exposure")).toContainEqual(
        expect.objectContaining({ experiment_id: GREETING, user_id: user, variant: variantOf(user) }),
      );
    expect(site.sent("business_event")).toMatchObject([{ user_id: users[0], business_metric: "thumbs_up" }]);
  });

  test("uses a kept or loaded config when the server had none", async () => {
    site.render([ann]);
    const first = await site.open();
    await shows(first, text(view(ann, null)), text(view(ann, "brief")));
    await expect.poll(() => first.evaluate(() => localStorage.length)).toBe(1);
    await expect.poll(() => site.sent("exposure")).toHaveLength(1);

    site.service.script("/v1/config", "hang");
    const second = await site.open("", first);
    await shows(second, text(view(ann, null)), text(view(ann, "brief")));
    await expect.poll(() => site.sent("exposure")).toHaveLength(2);
  });

  test("renders again when an answer changes, but not for a config with the same content", async () => {
    site.render([ann, bob], { bootstrap, pollIntervalMs: 50 });
    site.service.script("/v1/config", { status: 200, body: config(2) });
    const page = await site.open();
    await site.service.received("/v1/config", 20);
    const seen = await page.evaluate(() => [inPage.seen.renders, inPage.seen.variables.size]);
    // Strict mode renders twice.
    expect(seen[0]).toBeLessThanOrEqual(8);

    site.service.script("/v1/config", { status: 200, body: config(3, { status: "stopped" }) });
    const before = text(view(ann, "brief"), view(bob, "control"));
    await shows(page, before, text(view(ann, null), view(bob, null)));
  });

  test("follows the user, and uses control behavior without a user", async () => {
    site.render([ann], { bootstrap });
    const page = await site.open();
    const texts = [text(view(ann, "brief"))];
    for (const [user, variant] of [
      [bob, "control"],
      [null, null],
      [ann, "brief"],
    ] as const) {
      await page.evaluate((next) => inPage.show({ users: [next] }), user);
      texts.push(text(view(user, variant)));
      await shows(page, ...texts);
    }
    await expect
      .poll(() => site.sent("exposure").map(({ user_id, variant }) => [user_id, variant]))
      .toEqual([
        ...[
          [ann, "brief"],
          [bob, "control"],
        ].sort(),
      ]);
  });

  test("shows a variant forced by the address once it is hydrated", async () => {
    site.render([bob], { bootstrap, urlOverrides: true });
    const page = await site.open("?assay=greeting:brief");
    await shows(page, text(view(bob, "control")), text(view(bob, "brief")));
    await expect
      .poll(() => site.sent("exposure").at(-1))
      .toMatchObject({ variant: "brief", metadata: { assay_test: true } });
  });
});
