import { afterAll, beforeAll, expect, test } from "vitest";
import { experimentBody, metricBody, type WireExperiment } from "../../test-support/experiments.ts";
import { openTestService, type TestService } from "../../test-support/test-service.ts";

interface WireCatalogue {
  readonly items: readonly {
    readonly definition: Readonly<Record<string, unknown>>;
    readonly used_by: readonly Readonly<Record<string, unknown>>[];
  }[];
}

let time = Date.now();
let api: TestService;
beforeAll(async () => {
  api = await openTestService({}, { now: () => time });
});
afterAll(() => api.stop());

const catalogue = async (token?: string) =>
  (await api.call<WireCatalogue>("GET", "/v1/metrics", token === undefined ? {} : { token })).body.items;
async function create(name: string, metrics: readonly unknown[], change = {}): Promise<WireExperiment> {
  time += 1_000;
  const body = experimentBody(name, { metrics, ...change });
  return (await api.call<WireExperiment>("POST", "/v1/experiments", { body })).body;
}
const change = async ({ id }: WireExperiment, body: unknown) => {
  time += 1_000;
  expect((await api.call("PUT", `/v1/experiments/${id}`, { body })).status).toBe(200);
};

test("an org without experiments has no metrics", async () => {
  expect(await catalogue()).toEqual([]);
});

test("each name has one entry with the newest definition and every experiment that uses it", async () => {
  const one = await create("one", [
    metricBody("spent", { metric_version: 2, description: "of one" }),
    metricBody("bought", { kind: "binary", description: "of one" }),
  ]);
  const two = await create(
    "two",
    [metricBody("spent", { description: "of two" }), metricBody("bought", { kind: "binary" })],
    { status: "draft" },
  );
  const use = ({ id, name, status }: WireExperiment, metric_version: number) => ({
    id,
    name,
    status,
    unit: "user",
    metric_version,
    follows: false,
  });
  const [bought, spent, ...more] = await catalogue();
  expect(more).toEqual([]);
  expect(bought?.definition).toMatchObject({
    name: "bought",
    kind: "binary",
    description: null,
    desired: "increase",
  });
  expect(bought?.used_by).toEqual([use(two, 1), use(one, 1)]);
  expect(spent?.definition).toMatchObject({ metric_version: 2, description: "of one" });
  expect(spent?.used_by).toEqual([use(two, 1), use(one, 2)]);

  await change(one, { hypothesis: "h" });
  const [changed] = await catalogue();
  expect(changed?.definition).toMatchObject({ name: "bought", description: "of one" });
});

test("another org's metrics are its own", async () => {
  const token = await api.token({ email: "eve@elsewhere.org", org: "elsewhere" });
  expect(await catalogue(token)).toEqual([]);
});
