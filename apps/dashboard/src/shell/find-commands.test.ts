import { expect, test } from "vitest";
import { findCommands, type Known } from "./find-commands.ts";

const KNOWN: Known = {
  isPlatformOwner: false,
  isAdmin: false,
  mayLoadDemo: false,
  experiments: Array.from({ length: 30 }, (_, index) => ({
    id: `id-${index}`,
    name: index === 7 ? "Checkout tone" : `greeting ${index}`,
    state: "Running",
  })),
  metrics: [
    { name: "tone_score", title: null },
    { name: "cost/call", title: "Cost of a call" },
  ],
  people: [
    { id: "1", name: "Ann Tone", email: "ann@example.com" },
    { id: "2", name: "", email: "bob@example.com" },
    { id: "3", name: "eve@example.com", email: "eve@example.com" },
  ],
};

const labels = (text: string, change: Partial<Known> = {}) =>
  findCommands(text, { ...KNOWN, ...change }).map(({ title, commands }) => [
    title,
    commands.map(({ label }) => label),
  ]);
const only = (text: string, change: Partial<Known> = {}) =>
  findCommands(text, { ...KNOWN, ...change }).flatMap(({ commands }) => commands);

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
  {
    name: "finds pages and actions, then experiments, metrics and people",
    text: "tone",
    found: [
      ["Experiments", ["Checkout tone"]],
      ["Shared metrics", ["tone_score"]],
      ["People", ["Ann Tone"]],
    ],
  },
  { name: "finds no experiment by its state", text: "running", found: [] },
  { name: "offers nothing that nobody asked for", text: "no such thing", found: [] },
])("findCommands $name", ({ text, found }) => expect(labels(text)).toEqual(found));

test.each([
  {
    text: "call cost",
    command: {
      id: "/catalogue/cost%2Fcall",
      label: "cost/call",
      detail: "Cost of a call",
      words: "cost/call Cost of a call",
      does: { to: "/catalogue/cost%2Fcall" },
    },
  },
  {
    text: "@example ann",
    command: {
      id: "person 1",
      label: "Ann Tone",
      detail: "ann@example.com",
      words: "Ann Tone ann@example.com",
      does: { to: "/settings" },
    },
  },
])("findCommands: $text", ({ text, command }) => expect(only(text)).toEqual([command]));

test("findCommands shows a person without a name by the email, once", () => {
  expect(only("bob")).toMatchObject([{ label: "bob@example.com" }]);
  expect(only("bob")[0]?.detail).toBe(undefined);
  expect(only("eve")[0]?.detail).toBe(undefined);
});

test("findCommands shows the platform to its owner only", () => {
  expect(labels("platform")).toEqual([]);
  expect(labels("platform", { isPlatformOwner: true })).toEqual([["Pages", ["Platform"]]]);
});

test("findCommands offers what the person may do", () => {
  const actions = (change: Partial<Known>) => labels("", change)[1];
  const everybody = [
    "New experiment",
    "First steps: key, code, first call",
    "Already instrumented? OpenTelemetry, Langfuse",
  ];
  const last = ["Save the tables of this page as CSV", "Keyboard shortcuts", "Sign out"];
  expect(actions({})).toEqual(["Actions", [...everybody, ...last]]);
  expect(actions({ mayLoadDemo: true })).toEqual(["Actions", [...everybody, "Load the demo", ...last]]);
  expect(actions({ isAdmin: true })).toEqual([
    "Actions",
    [...everybody, "Invite a member", "Create a key", ...last],
  ]);
});

test("findCommands shows a readable number of experiments, and metrics and people only when words are typed", () => {
  expect(labels("greeting")[0]?.[1]).toHaveLength(20);
  expect(labels(" ").map(([title]) => title)).toEqual(["Pages", "Actions", "Experiments"]);
});

test("every command has an id of its own", () => {
  const all = { isPlatformOwner: true, isAdmin: true, mayLoadDemo: true };
  const ids = ["", "e"].map((text) => only(text, all).map(({ id }) => id));
  for (const one of ids) expect(new Set(one).size).toBe(one.length);
});
