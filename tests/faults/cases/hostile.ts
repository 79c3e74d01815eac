import type { Fault, Sign } from "../fault.ts";
import { at } from "../lab.ts";
import { BROWSER, CLIENT, type Scene } from "../scene.ts";
import { type Habit, orders, type Person, purchase, type Row, sells } from "../traffic.ts";

/** Of 1,000 events one is bad, by somebody with the publishable key: nothing is withheld and nothing flips. */
const one = (
  name: string,
  bad: (scene: Scene, people: readonly Person[]) => readonly Row[] | Promise<readonly Row[]>,
  shows: Sign,
  habit: Habit = sells,
): Fault => ({
  name,
  habit,
  async happens(scene) {
    const people = await scene.people();
    const rows = scene.visits(people);
    await scene.send(rows, CLIENT);
    const hostile = await bad(scene, people);
    await scene.send(hostile.slice(0, Math.ceil(rows.length / 1_000)), BROWSER);
  },
  shows,
  after: "same verdict",
});
const other = (arm: string) => (arm === "control" ? "treatment" : "control");
const PARKED = {
  allocation: ["control", "treatment", "parked"].map((variant) => ({
    variant,
    weight: variant === "parked" ? 0 : 1,
  })),
};

/** One bad event in a thousand. */
export const HOSTILE_FAULTS: readonly Fault[] = [
  {
    ...one(
      "an exposure in an arm of weight 0",
      (scene) => [scene.row("x", { type: "exposure", variant: "parked" })],
      { code: "ineligible-exposures", severity: "info", says: /^Exposures of 1 user count for no arm/ },
    ),
    experiment: PARKED,
  },
  one(
    "an exposure in an arm that nobody knows",
    (scene) => [scene.row("x", { type: "exposure", variant: "Control" })],
    { refused: /Did you mean "control"/, times: 1 },
  ),
  one(
    "an exposure of a new user in the wrong arm",
    async (scene) =>
      (await scene.people(1, 9)).map(({ id, arm }) =>
        scene.row(id, { type: "exposure", variant: other(arm) }),
      ),
    { code: "assignment-conflicts", severity: "info", says: /^1 of 601 users/ },
  ),
  one(
    "an earlier exposure of a user in the other arm",
    (scene, people) =>
      people.map(({ id, arm }) => scene.row(id, { type: "exposure", variant: other(arm), timestamp: at(7) })),
    { code: "assignment-conflicts", severity: "info", says: /^1 of 600 users/ },
  ),
  one(
    "an outcome that names the other arm",
    (scene, people) => people.map(({ id, arm }) => scene.row(id, purchase({ variant: other(arm) }))),
    { code: "variant-conflicts", severity: "info", says: /^1 / },
  ),
  one("an outcome of a user who never came", (scene) => [scene.row("ghost", purchase())], {
    code: "dropped-pre-exposure",
    severity: "info",
    says: /^1 of 286 outcomes/,
  }),
  one(
    "outcomes of one user that are a million times as large, of a metric with a cap",
    (scene, people) => {
      const user = people.find(({ arm }) => arm === "control")?.id ?? "";
      const large = { type: "business_event", business_metric: "spent", value: 1e9 };
      return people.map(() => scene.row(user, large));
    },
    { code: "mixed-sources", severity: "warning", says: /^spent: reported with the publishable key/ },
    orders,
  ),
  one(
    "an outcome stamped in the future",
    (scene, people) => people.map(({ id }) => scene.row(id, purchase({ timestamp: at(30) }))),
    { code: "future-events", severity: "info", says: /^1 / },
  ),
  one(
    "an exposure that pretends to be a test",
    (scene, people) =>
      people.map(({ id, arm }) =>
        scene.row(id, {
          ...{ type: "exposure", variant: arm, timestamp: at(7) },
          metadata: { assay_test: true },
        }),
      ),
    { code: "test-events", severity: "info", says: /^1 test user/ },
  ),
];
