import { expect, test } from "vitest";
import { readVectors } from "../../test-support/read-vectors.ts";
import { PROVIDERS, providerAt } from "./provider-name.ts";

interface Vectors {
  readonly table: readonly { readonly ends: string; readonly provider: string; readonly starts?: string }[];
  readonly cases: readonly { readonly base_url: string; readonly provider: string | null }[];
}

const { table, cases } = readVectors<Vectors>("providers");

test("the table is the one of providers.json", () => {
  expect(PROVIDERS).toEqual(
    table.map(({ ends, provider, starts }) => [ends, provider, ...(starts === undefined ? [] : [starts])]),
  );
});

test.each(cases)("providers.json: $base_url", ({ base_url, provider }) => {
  expect(providerAt(base_url)).toBe(provider);
});
