import { expect, test } from "vitest";
import { findCommands } from "./find-commands.ts";

const experiments = Array.from({ length: 30 }, (_, index) => ({
  id: `id-${index}`,
  name: index === 7 ? "Checkout tone" : `greeting ${index}`,
  state: "Running",
}));

const labels = (text: string, isPlatformOwner = false) =>
  findCommands(text, { isPlatformOwner, experiments }).map(({ title, commands }) => [
    title,
    commands.map(({ label }) => label),
  ]);

test.each([
  {
    name: "finds an experiment by words of its name in any order and case",
    text: "TONE check",
    found: [["Experiments", ["Checkout tone"]]],
  },
  {
    name: "finds pages and actions alike",
    text: "experiment",
    found: [
      ["Pages", ["Experiments"]],
      ["Actions", ["New experiment"]],
    ],
  },
  { name: "offers nothing that nobody asked for", text: "no such thing", found: [] },
])("findCommands $name", ({ text, found }) => expect(labels(text)).toEqual(found));

test("findCommands shows the platform to its owner only", () => {
  expect(labels("platform")).toEqual([]);
  expect(labels("platform", true)).toEqual([["Pages", ["Platform"]]]);
});

test("findCommands shows a readable number of experiments", () => {
  expect(labels("greeting")[0]?.[1]).toHaveLength(20);
});
