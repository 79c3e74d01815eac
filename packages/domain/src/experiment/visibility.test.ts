import { describe, expect, test } from "vitest";
import { DomainError } from "../problem.ts";
import { EXPERIMENT_STATUSES, VISIBILITIES } from "./config.ts";
import { createConfig } from "./make-config.ts";
import { hidesContent, rejectUnreadable } from "./visibility.ts";

const halves = ["a", "b"].map((variant) => ({ variant, weight: 1 }));
const config = createConfig({
  ...{ name: "n", salt: "s", bucketCount: 10, allocation: halves, metrics: [], visibility: "server" },
  variants: [{ key: "a" }, { key: "b", prompt: "hidden" }],
});

test.each([
  ["client", "publishable", false],
  ["client", "secret", false],
  ["server", "publishable", true],
  ["server", "secret", false],
] as const)("visibility %s hides content from the %s key: %s", (visibility, scope, hides) =>
  expect(hidesContent({ visibility }, scope)).toBe(hides),
);

describe("content that no key can read", () => {
  const isRefused = (change: Partial<typeof config>, scopes: Parameters<typeof rejectUnreadable>[1]) => {
    try {
      rejectUnreadable({ ...config, ...change }, scopes);
      return false;
    } catch (error) {
      return error instanceof DomainError && error.faults[0]?.pointer === "/visibility";
    }
  };

  test("is refused while the experiment assigns variants", () => {
    for (const status of EXPERIMENT_STATUSES)
      expect([status, isRefused({ status }, ["publishable"])]).toEqual([
        status,
        status === "running" || status === "shipped",
      ]);
    for (const visibility of VISIBILITIES)
      expect([visibility, isRefused({ visibility }, [])]).toEqual([visibility, visibility === "server"]);
  });

  test.each([
    { what: "a prompt", variants: config.variants, refused: true },
    {
      what: "variables",
      variants: config.variants.map((variant) => ({ ...variant, prompt: null, variables: {} })),
      refused: true,
    },
    { what: "neither", variants: config.variants.map((one) => ({ ...one, prompt: null })), refused: false },
  ])("is $what", ({ variants, refused }) => expect(isRefused({ variants }, [])).toBe(refused));

  test("is read by a secret key", () => expect(isRefused({}, ["publishable", "secret"])).toBe(false));
});
