import type { Fault } from "../fault.ts";
import { at } from "../lab.ts";
import { CLIENT, SERVER } from "../scene.ts";
import { calls, sells } from "../traffic.ts";

const DAY_BEFORE = "2026-11-16";
const FAST = { scope: "secret", client: "assay-java/2.1.0" } as const;

/** When things happened. */
export const TIME_FAULTS: readonly Fault[] = [
  {
    name: "the service that exposes has a clock that is an hour fast",
    habit: sells,
    async noon(scene) {
      const people = await scene.people();
      await scene.send(scene.exposures(people, { since: at(13) }), FAST);
      await scene.send(scene.outcomes(people, { since: at(12) }), SERVER);
    },
    happens: async () => {},
    shows: { code: "future-events", severity: "warning", says: /^600 of / },
    state: "collecting",
    async repair(scene) {
      await scene.exclude({ client: FAST.client });
      await scene.importRows(scene.exposures(await scene.people(), { take: "b", since: at(12) }));
    },
  },
  {
    name: "the service that calls the model has a clock that is an hour slow",
    habit: calls,
    async happens(scene) {
      const people = await scene.people();
      await scene.send(scene.exposures(people, { since: at(9) }), CLIENT);
      await scene.send(scene.outcomes(people, { since: at(8) }), FAST);
    },
    shows: {
      ...{ code: "outcomes-before-exposure", severity: "critical" },
      says: /^All model calls of 600 users/,
    },
    state: "collecting",
    async repair(scene) {
      await scene.exclude({ client: FAST.client });
      await scene.importRows(scene.outcomes(await scene.people(), { take: "b", since: at(9) }));
    },
  },
  {
    name: "outcomes arrive after their night",
    habit: sells,
    async happens(scene) {
      const people = await scene.people();
      await scene.send(scene.exposures(people, { since: at(0) }), CLIENT);
      const outcomes = scene.outcomes(people, { since: at(0) });
      const isLate = (index: number) => index % 3 === 0;
      await scene.send(
        outcomes.filter((_, i) => !isLate(i)),
        SERVER,
      );
      await scene.night();
      await scene.importRows(outcomes.filter((_, i) => isLate(i)));
    },
    shows: {
      code: "late-events",
      severity: "warning",
      says: /arrived more than 24 hours after they occurred/,
    },
    // The repair is to run the night again, which comes next.
  },
  {
    name: "the night before is computed after a night that is withheld",
    comesOnOtherDays: true,
    habit: sells,
    async happens(scene) {
      const people = await scene.people();
      await scene.send(
        scene.visits(
          people.filter(({ index }) => index % 100 < 80),
          { since: at(-12) },
        ),
        CLIENT,
      );
      await scene.send(scene.visits(people.filter(({ index }) => index % 100 >= 80)), CLIENT);
      const bots = (await scene.people(150, 7)).filter(({ arm }) => arm === "treatment");
      await scene.send(scene.exposures(bots), FAST);
      await scene.night();
      await scene.night(DAY_BEFORE);
    },
    shows: { code: "srm", severity: "critical", says: /expected 50%/ },
    state: "withheld",
    repair: (scene) => scene.exclude({ client: FAST.client }),
  },
];
