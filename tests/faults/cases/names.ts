import type { Fault } from "../fault.ts";
import { CLIENT, SERVER } from "../scene.ts";
import { type Row, sells } from "../traffic.ts";

const named = (name: string) => (row: Row) => ({ ...row, business_metric: name });
/** The metric reads events of another name, as its next version. */
const reading = (name: string): Row => ({
  metrics: sells.metrics.map((metric) => ({
    ...metric,
    ...{ metric_version: 2, source: { event: "business_event", business_metric: name } },
  })),
});

/** What things are called: metrics and users. */
export const NAME_FAULTS: readonly Fault[] = [
  {
    name: "the metric's name is misspelt",
    habit: sells,
    async happens(scene) {
      const people = await scene.people();
      await scene.send(scene.exposures(people), CLIENT);
      await scene.send(scene.outcomes(people).map(named("bougth")), SERVER);
    },
    shows: {
      ...{ code: "misspelt-metrics", severity: "critical" },
      says: /perhaps by mistake: "bougth" \(285 users\) for "bought"\./,
    },
    state: "collecting",
    repair: (scene) => scene.change(reading("bougth")),
  },
  {
    name: "two services spell the metric in two ways",
    habit: sells,
    async happens(scene) {
      const people = await scene.people();
      await scene.send(scene.exposures(people), CLIENT);
      const outcomes = scene.outcomes(people);
      await scene.send(
        outcomes.map((row, i) => (i % 2 === 0 ? row : named("Bought")(row))),
        SERVER,
      );
    },
    shows: {
      ...{ code: "misspelt-metrics", severity: "critical" },
      says: /"Bought" \(142 users\) for "bought"\./,
    },
    state: "data-fault",
    async repair(scene) {
      const outcomes = scene.outcomes(await scene.people(), { take: "b" });
      await scene.importRows(outcomes.filter((_, i) => i % 2 === 1));
      await scene.exclude({ business_metric: "Bought" });
    },
  },
  {
    name: "a release renames the event",
    habit: sells,
    async happens(scene) {
      const people = await scene.people();
      await scene.send(scene.exposures(people), CLIENT);
      await scene.send(scene.outcomes(people).map(named("checkout_done")), SERVER);
    },
    shows: { code: "misspelt-metrics", severity: "info", says: /^Nobody has reported bought yet\./ },
    state: "collecting",
    repair: (scene) => scene.change(reading("checkout_done")),
  },
  {
    name: "a metric gets another meaning under the same version",
    habit: sells,
    async happens(scene) {
      const people = await scene.people();
      await scene.send(scene.exposures(people), CLIENT);
      await scene.send(scene.outcomes(people).map(named("order")), SERVER);
      const metrics = (reading("order").metrics as readonly Row[]).map((metric) => ({
        ...metric,
        metric_version: 1,
      }));
      await scene.tryChange({ metrics });
    },
    shows: {
      refused: /^\/metrics\/0\/metric_version: source changed from .*Send metric_version 2/,
      times: 1,
    },
    repair: (scene) => scene.change(reading("order")),
  },
  {
    name: "outcomes have the account's id, exposures the visitor's",
    habit: sells,
    async happens(scene) {
      const people = await scene.people();
      await scene.send(scene.exposures(people), CLIENT);
      await scene.send(
        scene.outcomes(people).map((row) => ({ ...row, user_id: `account-${row.user_id}` })),
        SERVER,
      );
    },
    shows: {
      ...{ code: "outcomes-before-exposure", severity: "warning" },
      says: /^None of the 285 users with outcomes of bought was exposed/,
    },
    state: "collecting",
    repair: async (scene) => scene.importRows(scene.outcomes(await scene.people(), { take: "b" })),
  },
];
