import type { Fault } from "../fault.ts";
import { at } from "../lab.ts";
import { BROWSER, CLIENT, SERVER } from "../scene.ts";
import { calls, type Person, type Row, sells, sellsAlike } from "../traffic.ts";

const other = (arm: unknown) => (arm === "control" ? "treatment" : "control");
const swap = (row: Row): Row => ({ ...row, variant: other(row.variant) });
const without = ({ variant: _, ...row }: Row): Row => row;
/** A flag of another system: it knows nothing of the bucket map. */
const flagged = (people: readonly Person[]): readonly Person[] =>
  people.map((person, i) => ({
    ...person,
    arm: i % 2 === 0 ? "control" : "treatment",
    index: Math.floor(i / 2),
  }));
const BUGGY = { scope: "secret", client: "assay-python/2.0.0" } as const;
const OLD = { scope: "publishable", client: "assay-typescript/0.9.0" } as const;

/** Who is in which arm. */
export const ARM_FAULTS: readonly Fault[] = [
  {
    name: "a client library swaps the arms",
    habit: sells,
    happens: async (scene) => scene.send(scene.visits(await scene.people()).map(swap), BUGGY),
    shows: {
      ...{ code: "assignment-conflicts", severity: "critical" },
      says: /^600 of 600 users .* 600 by assay-python\/2\.0\.0\. The arms are swapped: /,
    },
    state: "data-fault",
    async repair(scene) {
      await scene.exclude({ client: BUGGY.client });
      await scene.send(scene.visits(await scene.people(), { take: "b" }), CLIENT);
    },
  },
  {
    name: "a server without a client library names the other arm in every event",
    habit: calls,
    happens: async (scene) => scene.send(scene.visits(await scene.people()).map(swap), SERVER),
    shows: {
      ...{ code: "assignment-conflicts", severity: "critical" },
      says: /600 by secret without a client library\. The arms are swapped/,
    },
    state: "data-fault",
    async repair(scene) {
      await scene.exclude({ source: "secret" });
      await scene.importRows(scene.visits(await scene.people(), { take: "b" }));
    },
  },
  {
    name: "a stale client deals a fifth of the users by an old config",
    habit: sells,
    async happens(scene) {
      const people = await scene.people();
      const stale = (person: Person) => person.index % 5 === 0;
      await scene.send(scene.visits(people.filter((person) => !stale(person))), CLIENT);
      await scene.send(scene.visits(flagged(people.filter(stale))), OLD);
    },
    shows: {
      ...{ code: "assignment-conflicts", severity: "critical" },
      says: /^\d\d of 600 users .*: \d\d by assay-typescript\/0\.9\.0\./,
    },
    state: "data-fault",
    async repair(scene) {
      await scene.exclude({ client: OLD.client });
      const stale = (await scene.people()).filter(({ index }) => index % 5 === 0);
      await scene.send(scene.visits(stale, { take: "b" }), CLIENT);
    },
  },
  {
    name: "one service writes the arm's name with a capital",
    habit: sells,
    async happens(scene) {
      const rows = scene.visits(await scene.people());
      await scene.send(
        rows.map((row) => (row.variant === "control" ? { ...row, variant: "Control" } : row)),
        SERVER,
      );
    },
    shows: { refused: /variant must be one of .*Did you mean "control"\?$/, times: 420 },
    state: "withheld",
    repair: async (scene) => scene.send(scene.visits(await scene.people()), SERVER),
  },
  {
    name: "a file names arms of another experiment",
    habit: sells,
    async happens(scene) {
      const people = await scene.people();
      await scene.send(scene.exposures(people), CLIENT);
      await scene.importRows(scene.outcomes(people).map((row) => ({ ...row, variant: "blue" })));
    },
    shows: { refused: /^line \d+: variant must be one of "control", "treatment"\.$/, times: 285 },
    repair: async (scene) => scene.importRows(scene.outcomes(await scene.people())),
  },
  {
    name: "a preview page sends an arm of weight 0",
    habit: sells,
    experiment: {
      allocation: [
        { variant: "control", weight: 1 },
        { variant: "treatment", weight: 1 },
        { variant: "parked", weight: 0 },
      ],
    },
    async happens(scene) {
      await scene.send(scene.visits(await scene.people()), CLIENT);
      const preview = Array.from({ length: 12 }, (_, i) =>
        scene.row(`preview-${i}`, { type: "exposure", variant: "parked" }),
      );
      await scene.send(preview, BROWSER);
    },
    shows: {
      ...{ code: "ineligible-exposures", severity: "critical" },
      says: /^Exposures of 12 users count for no arm: 12 in a variant that had no share of the users/,
    },
    state: "data-fault",
    repair: (scene) => scene.exclude({ variant: "parked" }),
  },
  {
    name: "the kill switch: the arm is off, its events go on",
    habit: sells,
    async noon(scene) {
      const people = await scene.people();
      await scene.send(scene.visits(people), CLIENT);
      const variants = [{ key: "control" }, { key: "treatment", enabled: false }];
      await scene.change({ variants });
    },
    async happens(scene) {
      const late = Array.from({ length: 200 }, (_, i) =>
        scene.row(`late-${scene.name}-${i}`, { type: "exposure", timestamp: at(14) + i }),
      );
      await scene.send(late, SERVER);
    },
    shows: {
      ...{ code: "ineligible-exposures", severity: "info" },
      says: /count for no arm: \d+ while their variant was switched off/,
    },
    after: "same verdict",
  },
  {
    name: "a stopped experiment goes on receiving users",
    habit: sells,
    async noon(scene) {
      await scene.send(scene.visits(await scene.people()), CLIENT);
      await scene.change({ status: "stopped" });
    },
    async happens(scene) {
      const late = Array.from({ length: 300 }, (_, i) =>
        scene.row(`late-${scene.name}-${i}`, {
          ...{ type: "exposure", timestamp: at(14) + i },
          ...(i % 3 === 0 ? {} : { variant: i % 3 === 1 ? "control" : "treatment" }),
        }),
      );
      await scene.send(late, SERVER);
    },
    shows: {
      ...{ code: "ineligible-exposures", severity: "info" },
      says: /^Exposures of 300 users count for no arm: 300 while it was stopped/,
    },
    state: "stopped",
  },
  {
    name: "an application exposes users while the experiment is a draft",
    habit: sells,
    experiment: { status: "draft" },
    async noon(scene) {
      const early = Array.from({ length: 100 }, (_, i) =>
        scene.row(`early-${scene.name}-${i}`, {
          ...{ type: "exposure", timestamp: at(8) + i },
          variant: i % 2 === 0 ? "control" : "treatment",
        }),
      );
      await scene.send(early, SERVER);
      await scene.change({ status: "running" });
    },
    happens: async (scene) => scene.send(scene.visits(await scene.people(), { since: at(14) }), CLIENT),
    shows: {
      ...{ code: "ineligible-exposures", severity: "info" },
      says: /^Exposures of 100 users count for no arm: 100 before the experiment started/,
    },
  },
  {
    name: "users outside the coverage are sent too",
    habit: sells,
    experiment: { coverage: 0.5 },
    async happens(scene) {
      await scene.send(scene.visits(await scene.people()), CLIENT);
      const { buckets } = await scene.lab.configOf(scene.id);
      if (!buckets.owners.includes(-1)) throw new Error("Everybody is covered.");
      const all = Array.from({ length: 40 }, (_, i) =>
        scene.row(`any-${scene.name}-${i}`, { type: "exposure" }),
      );
      await scene.send(all, SERVER);
    },
    shows: {
      ...{ code: "ineligible-exposures", severity: "info" },
      says: /outside the experiment's coverage/,
    },
    after: "same verdict",
  },
  {
    name: "the coverage shrinks and clients go on with those they have",
    habit: sells,
    async noon(scene) {
      await scene.send(scene.visits((await scene.people()).filter(({ index }) => index < 150)), CLIENT);
      await scene.change({ coverage: 0.5 });
    },
    async happens(scene) {
      const rest = (await scene.people()).filter(({ index }) => index >= 150);
      await scene.send(scene.visits(rest, { since: at(14) }), CLIENT);
    },
    shows: { code: "ineligible-exposures", severity: "ok", says: /^Every exposure counts for an arm\./ },
  },
  {
    name: "history of another system's flag is imported",
    habit: sells,
    happens: async (scene) => scene.importRows(scene.visits(flagged(await scene.people()))),
    shows: {
      ...{ code: "assignment-conflicts", severity: "critical" },
      says: /of 600 users .* by import without a client library/,
    },
    state: "data-fault",
    repair: (scene) => scene.change({ assignment: "external" }),
  },
  {
    name: "outcomes of a warehouse come without the variant",
    habit: sells,
    experiment: { assignment: "external" },
    async happens(scene) {
      const people = flagged(await scene.people());
      await scene.send(scene.exposures(people), SERVER);
      await scene.importRows(scene.outcomes(people).map(without));
    },
    shows: {
      ...{ code: "assignment-conflicts", severity: "no-data" },
      says: /^Another system assigns variants/,
    },
  },
  {
    name: "a cache shows some users both variants",
    habit: sells,
    async happens(scene) {
      const people = await scene.people();
      await scene.send(scene.visits(people), CLIENT);
      const twice = people.filter(({ index }) => index % 10 === 0);
      await scene.send(scene.exposures(twice, { take: "cache", since: at(9) }).map(swap), OLD);
    },
    shows: {
      ...{ code: "users-in-several-variants", severity: "warning" },
      says: /^60 of 600 users/,
    },
    repair: (scene) => scene.exclude({ client: OLD.client }),
  },
  {
    name: "the page crashes in one arm before it reports the exposure",
    habit: sells,
    async happens(scene) {
      const people = await scene.people();
      const isLost = ({ arm, index }: Person) => arm === "treatment" && index % 3 === 0;
      await scene.send(scene.exposures(people.filter((person) => !isLost(person))), CLIENT);
      await scene.send(scene.outcomes(people), SERVER);
    },
    shows: { code: "srm", severity: "critical", says: /treatment has 40% of the users, expected 50%/ },
    state: "withheld",
    async repair(scene) {
      const people = await scene.people();
      const lost = people.filter(({ arm, index }) => arm === "treatment" && index % 3 === 0);
      await scene.importRows(scene.exposures(lost));
    },
  },
  {
    name: "bots crawl one arm",
    habit: sells,
    async happens(scene) {
      await scene.send(scene.visits(await scene.people()), CLIENT);
      const bots = (await scene.people(90, 7)).filter(({ arm }) => arm === "control");
      await scene.send(scene.exposures(bots), { scope: "publishable", client: "assay-typescript/2.1.0" });
    },
    shows: { code: "srm", severity: "critical", says: /control has 56.5% of the users, expected 50%/ },
    state: "withheld",
    repair: (scene) => scene.exclude({ source: "publishable", client: "assay-typescript/2.1.0" }),
  },
  {
    name: "the weights change while the base rate falls",
    habit: sellsAlike,
    experiment: { coverage: 0.3 },
    async noon(scene) {
      await scene.send(scene.visits(await scene.people()), CLIENT);
      const allocation = [
        { variant: "control", weight: 1 },
        { variant: "treatment", weight: 5 },
      ];
      await scene.change({ coverage: 1, allocation });
    },
    async happens(scene) {
      const people = await scene.people(500, 5);
      // In the afternoon only one in ten buys, in either arm.
      const controls = people.filter(({ arm, index }) => arm === "control" && index < 100);
      const treated = people.filter(({ arm }) => arm === "treatment");
      const shown = [...controls, ...treated];
      await scene.send(scene.exposures(shown, { since: at(14) }), CLIENT);
      const buyers = shown.filter(({ index }) => index % 10 === 0);
      const bought = { type: "business_event", business_metric: "bought", timestamp: at(15) };
      await scene.send(
        buyers.map(({ id, arm }) => scene.row(id, { ...bought, variant: arm })),
        CLIENT,
      );
    },
    shows: {
      code: "allocation-changed",
      severity: "info",
      says: /judged, and the arms are compared, within/,
    },
    after: "same verdict",
  },
  {
    name: "each page view reports the exposure again",
    habit: sells,
    async happens(scene) {
      const people = await scene.people();
      await scene.send(scene.visits(people), CLIENT);
      for (const hour of [9, 10])
        await scene.send(scene.exposures(people, { take: `view-${hour}`, since: at(hour) }), CLIENT);
    },
    shows: { code: "srm", severity: "ok", says: /^The traffic split fits the allocation \(p = 1\.0\)\./ },
  },
];
