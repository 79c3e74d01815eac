import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { controlEngines } from "../test-support/control-engines.ts";
import { experimentBody, metricBody } from "../test-support/experiments.ts";
import { openTestService, type TestService } from "../test-support/test-service.ts";

const texts = [
  "'; DROP TABLE experiments; --",
  '" OR "1"="1',
  "\\'; SELECT 1; -- \\",
  "{param:String} {orgId: UUID}",
  "/* comment */ # hash",
  "$1 ? :name @x %s {{mustache}} `backtick`",
  "\u2028 \ufeff 😀 ﷽ \u202e",
];
/** Where control characters are text too. */
const lines = "line\nfeed\r\ttab \u0001\u007f";
/** What of a text may be a name. */
const nameOf = (text: string) => text.replaceAll(/[\p{Cc}\u2028]/gu, "").trim();

describe.each(controlEngines("user text"))(
  "on $engine, text that reaches the databases comes back as it was and is never a statement:",
  ({ open }) => {
    let api: TestService;
    let key: string;
    let drop: () => Promise<void>;
    beforeAll(async () => {
      const schema = await open();
      drop = schema.drop;
      api = await openTestService({ databaseUrl: schema.databaseUrl });
      key = await api.newKey("secret");
    });
    afterAll(async () => {
      await api.stop();
      await drop();
    });

    /** Creates an experiment that has the text in every field that takes any. */
    async function createExperiment(text: string): Promise<{ id: string; name: string }> {
      const name = `${nameOf(text)} ${randomUUID()}`;
      const told = { name, hypothesis: text, description: text, salt: text };
      const source = { event: "business_event", business_metric: nameOf(text) };
      const judged = { kind: "ratio", category: "quality", judge: { rubric: text } };
      const metrics = [metricBody("m", { source, description: text }), metricBody("judged", judged)];
      const variants = [{ key: "control" }, { key: nameOf(text), prompt: text, variables: { [text]: text } }];
      const allocation = variants.map((variant) => ({ variant: variant.key, weight: 1 }));
      const body = experimentBody(name, { ...told, metrics, variants, allocation });
      const created = await api.call<{ id: string }>("POST", "/v1/experiments", { body });
      expect([created.status, created.body]).toEqual([201, expect.anything()]);
      const { id } = created.body;
      expect((await api.call("GET", `/v1/experiments/${id}`)).body).toMatchObject({
        ...told,
        metrics,
        variants,
      });
      return { id, name };
    }

    test.each([...texts, lines])("an experiment and its events: %j", async (text) => {
      const { id, name } = await createExperiment(text);
      const events = [
        { type: "exposure", metadata: { [text]: text } },
        { type: "model_call", model: text, provider: text, error_type: text, latency_ms: 1, prompt: text },
        { type: "business_event", business_metric: nameOf(text), value: 1 },
      ].map((event, index) => ({
        ...event,
        event_id: `${text}-${index}`,
        experiment_id: name,
        user_id: text,
        variant: nameOf(text),
        timestamp: Date.now() - 1_000,
      }));
      const sent = await api.call("POST", "/v1/events", { key, body: { events } });
      expect(sent).toMatchObject({ status: 202, body: { accepted: 3, rejected: [] } });
      type Live = { exposures: Record<string, number> };
      const exposures = async () =>
        (await api.call<Live>("GET", `/v1/experiments/${id}/live`)).body.exposures[nameOf(text)];
      await expect.poll(exposures).toBe(1);
      const assigned = await api.call("POST", "/v1/assign", {
        key,
        body: { experiment_id: name, user_id: text },
      });
      expect(assigned.status).toBe(200);
      expect((await api.call("POST", `/v1/experiments/${id}/analyze`)).status).toBe(200);
    });

    test.each(texts)(
      "prices, feedback, contact, invitations, the audit's filter and cursor: %j",
      async (text) => {
        const price = { effective_from: "2026-01-01", input_usd_per_million: 1, output_usd_per_million: 2 };
        const priced = await api.call("PUT", "/v1/prices", { body: { model: text, ...price } });
        expect([priced.status, JSON.stringify(priced.body)]).toEqual([
          200,
          expect.stringContaining(JSON.stringify(text)),
        ]);
        const feedback = { category: "other", message: text };
        expect(await api.call("POST", "/v1/feedback", { body: feedback })).toMatchObject({
          body: { message: text },
        });
        const guest = { email: `${randomUUID()}@example.com`, name: text };
        expect((await api.call("POST", "/v1/invitations", { body: guest })).status).toBe(201);
        const query = encodeURIComponent(text);
        expect(await api.call("GET", `/v1/audit?target_id=${query}`)).toMatchObject({ status: 200 });
        for (const path of ["/v1/audit", "/v1/feedback", "/v1/members", "/v1/invitations", "/v1/admin/inbox"])
          expect([200, 400]).toContain((await api.call("GET", `${path}?cursor=${query}`)).status);
      },
    );

    test.each([
      ["GET", "/v1/audit?target_id=a%00b", 400],
      ["GET", "/v1/audit?cursor=%00", 400],
      ["GET", "/v1/experiments/%00", 404],
      ["DELETE", "/v1/prices?model=a%00b&effective_from=2026-01-01", 400],
    ] as const)("a NUL in an address is refused: %s %s", async (method, path, status) => {
      expect((await api.call(method, path)).status).toBe(status);
    });

    test("a NUL or half a character in an event is kept from the events, or kept as text, and harms no other", async () => {
      const { id, name } = await createExperiment(`odd ${randomUUID()}`);
      const variant = "control";
      const at = { experiment_id: name, type: "exposure", variant, timestamp: Date.now() - 1_000 };
      const events = ["a\0b", "\ud800", "plain"].map((user_id, index) => ({
        ...at,
        user_id,
        event_id: `${id}-${index}`,
      }));
      const sent = await api.call<{ accepted: number }>("POST", "/v1/events", { key, body: { events } });
      expect(sent.status).toBe(202);
      type Live = { exposures: Record<string, number> };
      const exposures = async () =>
        (await api.call<Live>("GET", `/v1/experiments/${id}/live`)).body.exposures[variant];
      await expect.poll(exposures).toBe(sent.body.accepted);
    });
  },
);
