import type { Fault } from "../fault.ts";
import { at } from "../lab.ts";
import { BROWSER, CLIENT, type Scene, SERVER } from "../scene.ts";
import { orders, type Person, purchase, type Row, sells, sellsAlike } from "../traffic.ts";

const TRUSTED = ["secret", "import", "signed"];
const trusting = (metrics: readonly Row[], version: number): Row => ({
  metrics: metrics.map((metric) => ({ ...metric, accept_from: TRUSTED, metric_version: version })),
});
/** Purchases that never happened, of users of treatment who buy nothing. */
const forge = (scene: Scene, people: readonly Person[], count: number, hour = 12): readonly Row[] =>
  people
    .filter(({ arm, index }) => arm === "treatment" && index % 100 >= 60)
    .slice(0, count)
    .map(({ id }) => scene.row(id, purchase({ timestamp: at(hour) })));
const between = (from: number, to: number) => ({
  from: new Date(at(from)).toISOString(),
  to: new Date(at(to)).toISOString(),
});

/** Who may say what. */
export const TRUST_FAULTS: readonly Fault[] = [
  {
    name: "outcomes are forged with the publishable key",
    habit: sellsAlike,
    async happens(scene) {
      const people = await scene.people();
      await scene.send(scene.visits(people), SERVER);
      await scene.send(forge(scene, people, 70), BROWSER);
    },
    shows: {
      ...{ code: "mixed-sources", severity: "warning" },
      says: /^bought: reported with the publishable key and by trusted senders/,
    },
    state: "winning",
    repair: (scene) => scene.change(trusting(sellsAlike.metrics, 2)),
  },
  {
    name: "outcomes are forged for a metric that accepts trusted senders",
    habit: sellsAlike,
    experiment: trusting(sellsAlike.metrics, 1),
    async happens(scene) {
      const people = await scene.people();
      await scene.send(scene.visits(people), SERVER);
      await scene.send(forge(scene, people, 70), BROWSER);
    },
    shows: {
      ...{ code: "mixed-sources", severity: "info" },
      says: /^Left out, because accept_from does not list their source: 70 events of bought\./,
    },
  },
  {
    name: "10,000 ids are sent with the publishable key before the real events",
    habit: orders,
    async happens(scene) {
      const people = await scene.people();
      const outcomes = scene.outcomes(people);
      const stolen = outcomes.slice(0, 10_000).map((row) => ({ ...row, user_id: "mallory", value: 0 }));
      await scene.send(stolen, BROWSER);
      await scene.send(scene.exposures(people), CLIENT);
      for (const row of outcomes.slice(0, 20)) await scene.sign(row);
      await scene.send(outcomes.slice(20), SERVER);
      await scene.send(stolen.slice(0, 1_000), BROWSER);
    },
    shows: {
      ...{ code: "superseded-ids", severity: "info" },
      says: /^10,000 event ids were used by a publishable key and by a trusted sender/,
    },
  },
  {
    name: "users are shown the other arm earlier, with the publishable key",
    habit: sells,
    async happens(scene) {
      const people = await scene.people();
      await scene.send(scene.visits(people), CLIENT);
      const earlier = people.filter(({ index }) => index % 20 === 0);
      const forged = scene.exposures(earlier, { take: "forged", since: at(7) });
      await scene.send(
        forged.map((row) => ({ ...row, variant: row.variant === "control" ? "treatment" : "control" })),
        BROWSER,
      );
    },
    shows: {
      ...{ code: "assignment-conflicts", severity: "critical" },
      says: /^30 of 600 users .*: 30 by publishable without a client library\./,
    },
    state: "data-fault",
    repair: (scene) => scene.exclude({ source: "publishable" }),
  },
  {
    name: "a staging service holds the production key",
    habit: sells,
    async happens(scene) {
      // Staging has a salt of its own, and so another map.
      const staged = Array.from({ length: 200 }, (_, i) =>
        scene.row(`staged-${i}`, { type: "exposure", variant: i % 2 === 0 ? "control" : "treatment" }),
      );
      await scene.send(staged, SERVER);
      const { before } = await scene.lab.rotate("secret");
      scene.notes.set("key", before);
      await scene.send(scene.visits(await scene.people()), SERVER);
    },
    shows: {
      ...{ code: "assignment-conflicts", severity: "critical" },
      says: /by secret without a client library/,
    },
    state: "data-fault",
    repair: (scene) => scene.exclude({ key_prefix: scene.notes.get("key")?.slice(0, 12) }),
  },
  {
    name: "an hour of garbage",
    habit: sells,
    async happens(scene) {
      const people = await scene.people();
      await scene.send(scene.visits(people), CLIENT);
      await scene.keepNight();
      const strangers = Array.from({ length: 60 }, (_, i) =>
        scene.row(`stranger-${i}`, { type: "exposure", variant: "control", timestamp: at(15) + i }),
      );
      await scene.send([...strangers, ...forge(scene, people, 60, 15.5)], CLIENT);
    },
    shows: {
      ...{ code: "assignment-conflicts", severity: "critical" },
      says: /by assay-python\/2\.1\.0\./,
    },
    state: "data-fault",
    repair: (scene) => scene.exclude(between(15, 16)),
  },
  {
    name: "testers mark their events",
    habit: sells,
    async happens(scene) {
      await scene.send(scene.visits(await scene.people()), CLIENT);
      const marked = { metadata: { assay_test: true } };
      const testers = (await scene.people(10, 3)).flatMap(({ id }) => [
        scene.row(id, { type: "exposure", ...marked }),
        scene.row(id, purchase({ ...marked, timestamp: at(13) })),
      ]);
      await scene.send(testers, BROWSER);
    },
    shows: { code: "test-events", severity: "info", says: /^20 test user/ },
  },
  {
    name: "a test suite uses the ids that are kept for test events",
    habit: sells,
    async happens(scene) {
      await scene.send(scene.visits(await scene.people()), CLIENT);
      const reserved = Array.from({ length: 20 }, (_, i) =>
        scene.row(`svc-test-${i}`, { type: "exposure", variant: "treatment" }),
      );
      await scene.send(reserved, SERVER);
    },
    shows: {
      refused: /^user_id must not begin with svc-test-.*"metadata": \{"assay_test": true\}\.$/,
      times: 20,
    },
  },
  {
    name: "the same file is imported twice",
    habit: orders,
    async happens(scene) {
      const people = await scene.people();
      await scene.send(scene.exposures(people), CLIENT);
      const outcomes = scene.outcomes(people);
      for (let time = 0; time < 2; time++) await scene.importRows(outcomes);
    },
    shows: { code: "superseded-ids", severity: "ok", says: /^No event id/ },
  },
];
