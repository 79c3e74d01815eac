import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ScriptedServer } from "../../scenario-server/scripted-server.ts";
import { findChromium } from "../test-support/chromium.ts";
import { ACK, CONFIG } from "../test-support/client-fixture.ts";
import { CrossOriginFront } from "../test-support/cross-origin-front.ts";
import { PageSite } from "../test-support/page-site.ts";
import { readVectors } from "../test-support/read-vectors.ts";
import { sampleConfig } from "../test-support/sample-config.ts";

interface AssignVectors {
  readonly config: unknown;
  readonly cases: readonly {
    readonly name: string;
    readonly loaded: boolean;
    readonly experiment: string;
    readonly user_id?: string;
    readonly user_utf16?: readonly number[];
    readonly variant: string | null;
  }[];
}

const vectors = readVectors<AssignVectors>("assign");
interface QaVectors {
  readonly config: unknown;
  readonly cases: readonly {
    readonly name: string;
    readonly overrides: Readonly<Record<string, string>>;
    readonly experiment: string;
    readonly user_id: string;
    readonly variant: string | null;
  }[];
}
const qaVectors = readVectors<QaVectors>("qa-users");
const executable = findChromium();

describe.skipIf(executable === null)("in Chromium, across origins, the client", () => {
  let site: PageSite;
  beforeAll(async () => {
    site = await PageSite.start(executable!);
    return () => site.stop();
  });
  beforeEach(() => {
    site.service.requests.length = 0;
    site.front.preflights.length = 0;
    site.service.script("/v1/config", CONFIG);
    site.service.script("/v1/events", ACK);
  });

  /** Opens a page with a loaded client. */
  async function openClient(options = site.options()) {
    const page = await site.openPage();
    expect(await page.evaluate((given) => openClient(given), options)).toBe(true);
    return page;
  }

  test("needs a key as an option", async () => {
    const page = await site.openPage();
    const refusal = await page.evaluate(() => {
      try {
        return String(new AssayClient());
      } catch (error) {
        return String(error);
      }
    });
    expect(refusal).toBe("Error: Assay needs an API key: pass apiKey or set ASSAY_API_KEY.");
  });

  test("assigns every vector as the other languages do", async () => {
    site.service.script("/v1/config", { status: 200, body: vectors.config });
    const page = await openClient(site.options({ trackExposures: false }));
    const cases = vectors.cases.filter(({ loaded }) => loaded);
    const answers = await page.evaluate(
      (asked) =>
        asked.map(({ experiment, user_id, user_utf16 }) =>
          assay.assign(experiment, user_id ?? String.fromCharCode(...(user_utf16 ?? []))),
        ),
      cases,
    );
    const named = (variants: readonly (string | null)[]) => cases.map(({ name }, i) => [name, variants[i]]);
    expect(named(answers)).toEqual(named(cases.map(({ variant }) => variant)));
  });

  test("gives QA users the variants that other languages give them", async () => {
    site.service.script("/v1/config", { status: 200, body: qaVectors.config });
    const page = await site.openPage();
    for (const { name, overrides, experiment, user_id, variant } of qaVectors.cases) {
      const answer = await page.evaluate(
        async ({ options, asked }) => {
          await openClient(options);
          const assigned = assay.assign(...asked);
          await assay.close();
          return assigned;
        },
        { options: site.options({ overrides }), asked: [experiment, user_id] as const },
      );
      expect([name, answer]).toEqual([name, variant]);
    }
    const ids = qaVectors.cases.map(({ user_id }) => user_id);
    expect(site.events.map(({ user_id }) => user_id)).toEqual(
      ids.filter((_, index) => qaVectors.cases[index]!.variant !== null),
    );
  });

  test("delivers the exposure and what was tracked", async () => {
    const page = await openClient();
    const variant = await page.evaluate(() => {
      assay.track("business_event", {
        experiment_id: "greeting",
        user_id: "u",
        business_metric: "sold",
        value: 2,
      });
      return assay.assign("greeting", "u");
    });
    expect(variant).toBe("short");
    expect(await page.evaluate(() => assay.flush())).toBe(true);
    expect(site.events).toMatchObject([
      { type: "business_event", user_id: "u", business_metric: "sold", value: 2 },
      { type: "exposure", user_id: "u", variant: "short" },
    ]);
    expect(site.service.at("/v1/events")[0]?.headers).toMatchObject({
      "x-api-key": "svc_pk_1",
      origin: site.url.slice(0, -1),
    });
  });

  test("makes one preflight request to send events, and polls the config by its readable ETag", async () => {
    const page = await openClient(site.options({ pollIntervalMs: 50 }));
    for (let turn = 0; turn < 3; turn++) {
      const flushed = page.evaluate(() => {
        assay.track("business_event", { experiment_id: "greeting", user_id: "u" });
        return assay.flush();
      });
      expect(await flushed).toBe(true);
    }
    await site.service.received("/v1/config", 3);
    expect(
      site.service
        .at("/v1/config")
        .slice(0, 3)
        .map(({ headers }) => headers["if-none-match"]),
    ).toEqual([undefined, '"v1"', '"v1"']);
    // A request with If-None-Match bypasses every cache, including the preflight cache (Fetch, "http-network-or-cache
    // fetch").
    expect(site.front.preflights.filter((path) => path === "/v1/events")).toHaveLength(1);
  });

  test("sends its first event at once, so that later ones need no preflight", async () => {
    const page = await openClient(site.options({ flushIntervalMs: 600_000 }));
    await page.evaluate(() => assay.assign("greeting", "u"));
    await site.service.received("/v1/events", 1);
    expect(site.events).toMatchObject([{ type: "exposure" }]);
  });

  test("assigns at the first paint from a config in the page", async () => {
    site.service.script("/v1/config", "hang");
    const page = await site.openPage();
    const variant = await page.evaluate(
      (options) => {
        void openClient(options);
        return assay.assign("greeting", "u");
      },
      site.options({ bootstrap: sampleConfig(), trackExposures: false }),
    );
    expect(variant).toBe("short");
  });

  test("observes calls of the real OpenAI library, with a named user or the user of withUser", async () => {
    const provider = await ScriptedServer.start();
    const front = await CrossOriginFront.start(provider, "*, Authorization");
    try {
      provider.script("/v1/chat/completions", { status: 200, body: COMPLETION });
      const page = await openClient();
      await page.evaluate(observeTwoCalls, `${front.url}/v1`);
      expect(site.events).toMatchObject([
        { type: "exposure", user_id: "named", variant: "short" },
        {
          type: "model_call",
          user_id: "named",
          variant: "short",
          model: "gpt-5-2025",
          input_tokens: 7,
          output_tokens: 3,
        },
        { type: "exposure", user_id: "around", variant: "short" },
        { type: "model_call", user_id: "around", error: false },
      ]);
      expect(provider.requests).toHaveLength(2);
    } finally {
      await front.stop();
      await provider.stop();
    }
  });
});

const COMPLETION = {
  id: "c1",
  object: "chat.completion",
  created: 1,
  model: "gpt-5-2025",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
};

/** Runs in the page. */
async function observeTwoCalls(baseURL: string): Promise<void> {
  const OpenAi = await loadOpenAi();
  const openai = new OpenAi({ apiKey: "sk-1", baseURL, dangerouslyAllowBrowser: true, maxRetries: 0 });
  const call = { model: "gpt-5", messages: [{ role: "user" as const, content: "Hello" }] };
  await assay.wrap(openai, "greeting", { user: "named" }).chat.completions.create(call);
  await assay.withUser("around", () => assay.wrap(openai, "greeting").chat.completions.create(call));
  await assay.flush();
}
