import { expect, test } from "vitest";
import { readVectors } from "../../test-support/read-vectors.ts";
import { HOSTS, providerAt } from "./provider-name.ts";

interface Vectors {
  readonly table: readonly { readonly host: string; readonly provider: string }[];
  readonly cases: readonly { readonly base_url: string; readonly provider: string | null }[];
}

const { table, cases } = readVectors<Vectors>("providers");

test("the table equals providers.json", () => {
  expect(Object.entries(HOSTS).map(([provider, { source }]) => ({ host: source, provider }))).toEqual(table);
});

test.each(cases)("providers.json: $base_url", ({ base_url, provider }) => {
  expect(providerAt(base_url)).toBe(provider);
});
