import { expect, test } from "vitest";
import type { ExperimentOverview } from "../../api/types.ts";
import {
  isNarrowed,
  type ListFilter,
  listed,
  ownerOptions,
  sortAfterPress,
  stateOptions,
} from "./list-filter.ts";
import { overviewOf } from "./overview-fixture.ts";

const ann = { id: "ann", name: "Ann" };
const bob = { id: "bob", name: "Bob" };
const items: readonly ExperimentOverview[] = [
  overviewOf({ name: "Newest", created_at: "2026-11-04", state: "running", created_by: ann }),
  overviewOf({
    name: "Split off",
    created_at: "2026-11-03",
    state: "withheld",
    needs_attention: true,
    worst_remark: "critical",
    created_by: bob,
  }),
  overviewOf({
    tags: ["Team search", "later"],
    name: "Old draft",
    created_at: "2026-11-02",
    state: "draft",
    status: "draft",
  }),
  overviewOf({
    name: "Decide me",
    created_at: "2026-11-01",
    state: "ready-to-decide",
    needs_attention: true,
    last_run: {
      computed_for: "2026-11-01",
      revision: 1,
      computed_at: "2026-11-01",
      preliminary: false,
      srm_status: "passed",
    },
    created_by: ann,
  }),
];

test.each<{ name: string; filter: ListFilter; names: readonly string[] }>([
  {
    name: "puts what needs attention first, then the newest",
    filter: {},
    names: ["Split off", "Decide me", "Newest", "Old draft"],
  },
  { name: "finds words of the name in any case", filter: { q: "ME deci" }, names: ["Decide me"] },
  { name: "takes a state", filter: { state: "running" }, names: ["Newest"] },
  {
    name: "takes a status with all its states",
    filter: { state: "status:running" },
    names: ["Split off", "Decide me", "Newest"],
  },
  { name: "takes remarks of the last run", filter: { health: "critical" }, names: ["Split off"] },
  { name: "distinguishes fine from no run yet", filter: { health: "fine" }, names: ["Decide me"] },
  { name: "finds words of a tag", filter: { q: "search dra" }, names: ["Old draft"] },
  { name: "takes a whole tag", filter: { tag: "later" }, names: ["Old draft"] },
  { name: "takes no part of a tag", filter: { tag: "search" }, names: [] },
  { name: "takes an owner", filter: { owner: "ann" }, names: ["Decide me", "Newest"] },
  {
    name: "takes only what needs attention",
    filter: { attention: "yes" },
    names: ["Split off", "Decide me"],
  },
  {
    name: "sorts by name",
    filter: { sort: "name" },
    names: ["Decide me", "Newest", "Old draft", "Split off"],
  },
  {
    name: "sorts the other way round",
    filter: { sort: "-name" },
    names: ["Split off", "Old draft", "Newest", "Decide me"],
  },
  {
    name: "puts what has no value last, either way",
    filter: { sort: "analyzed" },
    names: ["Decide me", "Split off", "Newest", "Old draft"],
  },
  {
    name: "puts what has no value last, the other way too",
    filter: { sort: "-analyzed" },
    names: ["Decide me", "Split off", "Newest", "Old draft"],
  },
  {
    name: "sorts by health, worst first",
    filter: { sort: "health" },
    names: ["Split off", "Decide me", "Newest", "Old draft"],
  },
  {
    name: "ignores a column that does not exist",
    filter: { sort: "constructor" },
    names: ["Split off", "Decide me", "Newest", "Old draft"],
  },
  { name: "takes all of them together", filter: { attention: "yes", owner: "ann", q: "x" }, names: [] },
])("listed $name", ({ filter, names }) =>
  expect(listed(items, filter).map(({ name }) => name)).toEqual(names),
);

test("a header sorts up, then down, then no more", () => {
  expect(sortAfterPress({}, "users")).toBe("users");
  expect(sortAfterPress({ sort: "users" }, "users")).toBe("-users");
  expect(sortAfterPress({ sort: "-users" }, "users")).toBeUndefined();
  expect(sortAfterPress({ sort: "-users" }, "name")).toBe("name");
});

test("the view of archived experiments is no filter of its own", () => {
  expect(
    [{ archived: "yes" }, { archived: "yes", q: "" }, { archived: "yes", q: "a" }].map(isNarrowed),
  ).toEqual([false, false, true]);
});

test("the choices are those that occur", () => {
  expect(stateOptions(items).map(({ label }) => label)).toEqual([
    "Any state",
    "All running",
    "All drafts",
    "Running",
    "Withheld: split is off",
    "Draft",
    "Ready to decide",
  ]);
  expect(ownerOptions(items).map(({ label }) => label)).toEqual(["Any owner", "Ann", "Bob"]);
});
