import { expect, test } from "vitest";
import { methodsOfKind } from "./metric.ts";

test.each([
  ["binary", "auto two_proportion_z fisher_exact permutation ppi_z"],
  ["mean", "auto welch_t permutation mann_whitney_u cluster_bootstrap ppi_z"],
  ["ratio", "auto ratio_delta permutation cluster_bootstrap ppi_z"],
  ["quantile", "auto cluster_quantile cluster_bootstrap"],
  ["ordinal", "auto mann_whitney_u permutation welch_t"],
] as const)("a %s metric may be tested by %s", (kind, methods) => {
  expect(methodsOfKind(kind)).toEqual(methods.split(" "));
});
