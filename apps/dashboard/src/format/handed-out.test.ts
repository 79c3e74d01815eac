import { expect, test } from "vitest";
import { handedOutWords } from "./handed-out.ts";

const chosen = { variant: "concise" };

test.each([
  {
    of: { status: "shipped", shipped_variant: "concise", decision: chosen },
    words: "Everybody gets concise.",
  },
  {
    of: { status: "shipped", shipped_variant: "concise", holdback: { percent: 5, to: null } },
    words: "5% of all users keep control; everybody else gets concise.",
  },
  {
    of: {
      status: "shipped",
      shipped_variant: "concise",
      control: "base",
      holdback: { percent: 5, to: "2026-01-01T00:00:00.000Z" },
    },
    words: "Everybody gets concise.",
  },
  { of: { status: "shipped", shipped_variant: "concise" }, words: "Everybody gets concise." },
  {
    of: { status: "stopped", decision: chosen },
    words: "Assay gives nobody a variant. To give concise to everybody, ship it.",
  },
  {
    of: { status: "stopped", decision: { variant: null } },
    words: "Assay gives nobody a variant: clients get null and fall back to control.",
  },
  {
    of: { status: "stopped", decision: null, control: "base" },
    words: "Assay gives nobody a variant: clients get null and fall back to base.",
  },
  {
    of: { status: "stopped", decision: { variant: "base" }, control: "base" },
    words: "Assay gives nobody a variant: clients get null and fall back to base.",
  },
  {
    of: { status: "archived", decision: chosen },
    words: "Assay gives nobody a variant: clients get null and fall back to control.",
  },
  {
    of: { status: "stopped", decision: chosen, flag_key: "checkout" },
    words: "Users get what the flag checkout gives them: change it in its own system.",
  },
  {
    of: { status: "archived", decision: null, flag_key: "checkout" },
    words: "Users get what the flag checkout gives them: change it in its own system.",
  },
] as const)("$words", ({ of, words }) => {
  expect(handedOutWords(of)).toBe(words);
});
