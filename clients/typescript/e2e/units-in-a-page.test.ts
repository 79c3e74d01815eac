import { expect, test } from "vitest";
import type { Client } from "../src/client.ts";
import { loadPageClient } from "../test-support/page-client.ts";
import { readVectors } from "../test-support/read-vectors.ts";

interface Step {
  readonly within: readonly (readonly ["user" | "conversation" | "run", string])[];
  readonly do: "assign" | "call" | "track";
  readonly experiment: string;
  readonly user_id?: string;
  readonly unit_id?: string;
}
interface UnitsCase {
  readonly name: string;
  readonly overrides?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  readonly answers: readonly (string | null)[];
  readonly events: readonly Readonly<Record<string, string>>[];
}

const { config, cases } = readVectors<{ config: unknown; cases: readonly UnitsCase[] }>("units");

const PageClient = await loadPageClient();

function take(client: Client, { within: [outer, ...within], ...step }: Step): string | null {
  const { experiment, user_id: user = "", unit_id: unit } = step;
  const work = () => take(client, { ...step, within });
  if (outer?.[0] === "user") return client.withUser(outer[1], work);
  if (outer?.[0] === "run") return client.withRun(outer[1], work);
  if (outer) return client.withConversation(outer[1], work);
  const subject = unit === undefined ? user : { user, unit };
  if (step.do === "assign") return client.assign(experiment, subject);
  const fields = { experiment_id: experiment, user_id: user, business_metric: "m" };
  if (step.do === "track")
    client.track("business_event", unit === undefined ? fields : { ...fields, unit_id: unit });
  else if (user) client.interceptModelCall(experiment, subject, () => "Hi");
  else client.wrap({ chat: { completions: { create: () => "Hi" } } }, experiment).chat.completions.create();
  return null;
}

test.each(cases)(
  "units.json, in the bundle of a page: $name",
  async ({ overrides = {}, steps, answers, events }) => {
    const rows: (Record<string, unknown> & { readonly metadata?: { readonly conversation_id?: string } })[] =
      [];
    const client = new PageClient({
      apiKey: "svc_pk_1",
      baseUrl: "http://unused.invalid",
      offlineStore: false,
      bootstrap: config,
      overrides,
      log: { warn: () => {}, error: () => {} },
      fetch: async (_url, { body }) => {
        if (!body) return Response.json(config);
        const batch = JSON.parse(String(body)).events;
        rows.push(...batch);
        return Response.json({ accepted: batch.length, config_version: 1, rejected: [] }, { status: 202 });
      },
    });
    expect(steps.map((step) => take(client, step))).toEqual(answers);
    expect(await client.close()).toBe(true);
    const fields = ["type", "user_id", "unit_id", "run_id", "variant"];
    const told = rows.map(({ metadata, ...row }) => ({
      ...Object.fromEntries(fields.flatMap((name) => (name in row ? [[name, row[name]]] : []))),
      ...(metadata?.conversation_id && { conversation_id: metadata.conversation_id }),
    }));
    expect(told).toEqual(events);
  },
);
