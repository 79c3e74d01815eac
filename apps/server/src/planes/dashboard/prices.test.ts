import { addDays, dayOf } from "@assay/domain";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isNight } from "../../../../../tests/in-night.ts";
import { slugOf, type WireProblem } from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface WirePrice {
  readonly model: string;
  readonly effective_from: string;
  readonly input_usd_per_million: number;
  readonly cached_input_usd_per_million: number | null;
  readonly output_usd_per_million: number;
  readonly source: string;
}
interface PriceMark {
  readonly as_of: string;
  readonly fingerprint: string;
}
interface Table {
  readonly price_list: PriceMark | null;
  readonly items: readonly WirePrice[];
}
interface AuditPage {
  readonly items: readonly {
    readonly action: string;
    readonly target_type: string;
    readonly diff: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;
  }[];
}

let api: TestService;
let [admin, member] = ["", ""];
const today = dayOf(Date.now());
beforeAll(async () => {
  api = await openTestService();
  admin = await api.token({ email: "admin@x.org", role: "admin", org: "priced" });
  member = await api.token({ email: "member@x.org", role: "member", org: "priced" });
});
afterAll(() => api.stop());

const row = (model: string, change: Readonly<Record<string, unknown>> = {}) => ({
  model,
  effective_from: "2026-01-01",
  input_usd_per_million: 2,
  output_usd_per_million: 8,
  ...change,
});
const put = <T = WirePrice>(body: unknown, token = admin) =>
  api.call<T>("PUT", "/v1/prices", { token, body });
const remove = (query: string, token = admin) =>
  api.call<WireProblem | null>("DELETE", `/v1/prices?${query}`, { token });
const list = async (query = "", token = member) =>
  (await api.call<Table>("GET", `/v1/prices${query}`, { token })).body;

describe("the price table", () => {
  test("a member reads the built-in prices, by model and newest first", async () => {
    const { items, price_list } = await list();
    expect(price_list).toBeNull();
    expect(items.length).toBeGreaterThan(40);
    expect(items.every(({ source }) => source === "built-in")).toBe(true);
    const keys = items.map(({ model }) => model);
    expect(keys).toEqual([...keys].sort());
    expect(items.filter(({ model }) => model === "mistral-medium-latest")).toMatchObject([
      { effective_from: "2026-06-16" },
      { effective_from: "2024-01-01" },
    ]);
  });

  test("a member sets and removes nothing", async () => {
    const denied = await put<WireProblem>(row("mine"), member);
    expect([denied.status, slugOf(denied.body)]).toEqual([403, "role-required"]);
    expect((await remove("model=mine&effective_from=2026-01-01", member)).status).toBe(403);
  });

  test("an admin sets a price that this org reads and no other", async () => {
    const parts = {
      cached_input_usd_per_million: 0.5,
      cache_write_5m_usd_per_million: 2.5,
      cache_write_1h_usd_per_million: 4,
      audio_input_usd_per_million: 32,
    };
    const stored = await put(row("org-model", parts));
    expect(stored.status).toBe(200);
    const expected = {
      ...row("org-model"),
      cached_input_usd_per_million: 0.5,
      cache_write_5m_usd_per_million: 2.5,
      cache_write_1h_usd_per_million: 4,
      audio_input_usd_per_million: 32,
      reasoning_usd_per_million: null,
      audio_output_usd_per_million: null,
      source: "org",
    };
    expect(stored.body).toEqual(expected);
    expect((await list("?model=org-model")).items).toEqual([expected]);
    const other = await api.token({ email: "admin@y.org", role: "admin", org: "other" });
    expect((await list("?model=org-model", other)).items).toEqual([]);
    const taken = await remove("model=org-model&effective_from=2026-01-01", other);
    expect(slugOf(taken.body as WireProblem)).toBe("price-not-found");
  });

  test("a price of the org stands in place of the built-in one of its day, which holds again when it goes", async () => {
    const [builtIn] = (await list("?model=gpt-5")).items as [WirePrice];
    const key = `model=gpt-5&effective_from=${builtIn.effective_from}`;
    await put(row("gpt-5", { effective_from: builtIn.effective_from }));
    expect((await list("?model=gpt-5")).items).toMatchObject([{ source: "org", input_usd_per_million: 2 }]);
    const removed = await remove(key);
    expect([removed.status, removed.body]).toEqual([204, null]);
    expect((await list("?model=gpt-5")).items).toEqual([builtIn]);
    const again = await remove(key);
    expect([again.status, slugOf(again.body as WireProblem)]).toEqual([404, "price-not-found"]);
    expect((again.body as WireProblem).detail).toContain("cannot be removed, only overridden");
  });

  test("as of a day there is one price per model, with a fingerprint that identifies the list", async () => {
    await put(row("dated", { input_usd_per_million: 1 }));
    await put(row("dated", { effective_from: "2026-07-01", input_usd_per_million: 3 }));
    const asOf = (day: string) => list(`?as_of=${day}`);
    const [spring, summer] = [await asOf("2026-06-30"), await asOf("2026-07-01")];
    const priceOf = ({ items }: Table) => items.filter(({ model }) => model === "dated");
    expect(priceOf(spring)).toMatchObject([{ input_usd_per_million: 1 }]);
    expect(priceOf(summer)).toMatchObject([{ input_usd_per_million: 3 }]);
    expect(spring.price_list?.as_of).toBe("2026-06-30");
    expect(summer.price_list?.fingerprint).not.toBe(spring.price_list?.fingerprint);
    expect((await asOf("2026-06-30")).price_list).toEqual(spring.price_list);
  });

  test("the audit trail says what a price was and what it became", async () => {
    await put(row("audited"));
    await put(row("audited", { output_usd_per_million: 9, cache_write_5m_usd_per_million: 3 }));
    await remove("model=audited&effective_from=2026-01-01");
    const { body } = await api.call<AuditPage>("GET", "/v1/audit?target_id=audited", { token: member });
    const day = "2026-01-01";
    expect(body.items).toMatchObject([
      {
        action: "price.remove",
        diff: { effective_from: { from: day, to: null }, output_usd_per_million: { from: 9, to: null } },
      },
      {
        action: "price.put",
        target_type: "price",
        diff: {
          output_usd_per_million: { from: 8, to: 9 },
          cache_write_5m_usd_per_million: { from: null, to: 3 },
        },
      },
      { action: "price.put", diff: { effective_from: { from: null, to: day } } },
    ]);
    expect(Object.keys(body.items[1]?.diff ?? {})).toEqual([
      "effective_from",
      "cache_write_5m_usd_per_million",
      "output_usd_per_million",
    ]);
  });

  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ["an empty model", { model: "" }, "/model"],
    ["a model name that no database takes", { model: "m\u0000" }, "/model"],
    ["a model name that no event can carry", { model: "m".repeat(201) }, "/model"],
    ["a negative price", { input_usd_per_million: -1 }, "/input_usd_per_million"],
    ["a price per thousand million", { output_usd_per_million: 1e6 + 1 }, "/output_usd_per_million"],
    ["a negative price of a part", { audio_output_usd_per_million: -1 }, "/audio_output_usd_per_million"],
    ["text for a price", { reasoning_usd_per_million: "1" }, "/reasoning_usd_per_million"],
    ["an invalid day", { effective_from: "2026-02-30" }, "/effective_from"],
    ["an instant for a day", { effective_from: "2026-02-03T00:00:00Z" }, "/effective_from"],
    ["an unknown field", { currency: "EUR" }, "/currency"],
  ])("%s is refused", async (_name, change, pointer) => {
    const { status, body } = await put<WireProblem>(row("refused", change));
    expect([status, slugOf(body), body.errors?.[0]?.pointer]).toEqual([400, "invalid-body", pointer]);
    expect((await list("?model=refused")).items).toEqual([]);
  });

  test.each(["?as_of=2026-02-30", "?as_of=yesterday", "?models=a", "?model="])(
    "GET %s is refused",
    async (query) => {
      const { status, body } = await api.call<WireProblem>("GET", `/v1/prices${query}`, { token: member });
      expect([status, slugOf(body)]).toEqual([400, "invalid-query"]);
    },
  );

  test("DELETE needs model and day", async () => {
    expect((await remove("model=gpt-5")).status).toBe(400);
    expect((await remove("model=gpt-5&effective_from=2026-13-01")).status).toBe(400);
  });

  test.runIf(isNight())("an org keeps 1,000 prices of its own, and can still correct each", async () => {
    const full = await api.token({ email: "full@z.org", role: "admin", org: "full" });
    const day = (index: number) => addDays(today, index);
    for (let first = 0; first < 1000; first += 50) {
      const some = Array.from({ length: 50 }, (_, index) =>
        put(row("many", { effective_from: day(first + index) }), full),
      );
      expect((await Promise.all(some)).every(({ status }) => status === 200)).toBe(true);
    }
    const refused = await put<WireProblem>(row("one-more"), full);
    expect([refused.status, slugOf(refused.body)]).toEqual([400, "invalid-body"]);
    expect((await put(row("many", { effective_from: day(0), input_usd_per_million: 5 }), full)).status).toBe(
      200,
    );
  });
});
