import type { Fault } from "../fault.ts";
import { at } from "../lab.ts";
import { CLIENT, type Scene } from "../scene.ts";
import { calls, modelCall, type Person, type Row } from "../traffic.ts";

const BROKEN = { scope: "secret", client: "assay-java/3.0.0" } as const;
const VARIANTS = ["control", "treatment"].map((key) => ({ key, variables: { model: "gpt-4o" } }));

/** A release of a client spoils what treatment's calls say; its calls are set aside and come again from the provider's log. */
const spoiled = (name: string, change: (row: Row) => Row, shows: Fault["shows"], state?: string): Fault => ({
  name,
  habit: calls,
  experiment: { variants: VARIANTS },
  async happens(scene) {
    const people = await scene.people();
    await scene.send(scene.exposures(people), CLIENT);
    await scene.send(scene.outcomes(people.filter((person) => !isSpoiled(person))), CLIENT);
    await scene.send(scene.outcomes(people.filter(isSpoiled)).map(change), BROKEN);
  },
  shows,
  ...(state === undefined ? {} : { state }),
  async repair(scene) {
    await scene.exclude({ client: BROKEN.client });
    await scene.importRows(scene.outcomes((await scene.people()).filter(isSpoiled), { take: "b" }));
  },
});
const isSpoiled = ({ arm, index }: Person) => arm === "treatment" && index % 5 === 0;

/** What the calls say. */
export const CALL_FAULTS: readonly Fault[] = [
  spoiled(
    "streamed answers lack their usage in one arm",
    ({ input_tokens: _, output_tokens: __, ...row }) => row,
    { code: "missing-usage", severity: "warning", says: /^60 of 600 completed calls .*treatment 20%/ },
  ),
  spoiled("a fallback answers with another model in one arm", (row) => ({ ...row, model: "gpt-4o-mini" }), {
    code: "other-model",
    severity: "warning",
    says: /^60 of 600 calls .* were answered by a different model/,
  }),
  spoiled(
    "answers are cut at the token limit in one arm",
    (row) => ({ ...row, finish_reason: "length", output_tokens: 16 }),
    { code: "truncated-answers", severity: "warning", says: /^60 of 600 completed calls .*cut off/ },
  ),
  spoiled("streams are cut short in one arm", (row) => ({ ...row, usage_estimated: true }), {
    code: "cut-streams",
    severity: "warning",
    says: /^60 of 600 calls .*cut short.*treatment 20%/,
  }),
  {
    name: "a new model has no price",
    habit: calls,
    async happens(scene) {
      const people = await scene.people();
      await scene.send(
        scene.visits(people).map((row) => renamed(row)),
        CLIENT,
      );
    },
    shows: { code: "unpriced-calls", severity: "warning", says: /our-model/ },
    state: "collecting",
    async repair({ lab }) {
      const price = { input_usd_per_million: 2.5, output_usd_per_million: 10 };
      await lab.call("PUT", "/v1/prices", {
        body: { model: "our-model", effective_from: "2026-01-01", ...price },
      });
    },
  },
  {
    name: "the provider fails for an hour",
    habit: calls,
    async happens(scene) {
      const people = await scene.people();
      await scene.send(scene.visits(people), CLIENT);
      const failures = people
        .filter(({ index }) => index % 2 === 0)
        .map(({ id, arm, index }) =>
          scene.row(id, {
            ...modelCall({ arm, index }, { error: true, error_type: "overloaded", finish_reason: null }),
            ...{ variant: arm, timestamp: at(15) + index },
          }),
        );
      await scene.send(failures, CLIENT);
    },
    shows: { code: "error-rate", severity: "warning", says: /^300 of 900 calls/ },
    repair: (scene) => scene.exclude({ from: instant(15), to: instant(16) }),
  },
  {
    name: "a load test calls the model as one user",
    habit: calls,
    async happens(scene) {
      await scene.send(scene.visits(await scene.people()), CLIENT);
      await scene.send(loadTest(scene, await tester(scene)), CLIENT);
    },
    shows: {
      code: "heavy-users",
      severity: "warning",
      says: /^1 user\(s\) make more than 1,000 model calls a day/,
    },
    // One user decides nothing.
    state: "running",
    repair: async (scene) => scene.exclude({ user_ids: [await tester(scene)] }),
  },
];

const instant = (hour: number) => new Date(at(hour)).toISOString();
const renamed = (row: Row): Row => (row.type === "model_call" ? { ...row, model: "our-model" } : row);

/** A user of treatment beside those who take part. */
async function tester(scene: Scene): Promise<string> {
  const others = await scene.people(1, 11);
  return others.find(({ arm }) => arm === "treatment")?.id ?? "";
}

function loadTest(scene: Scene, user: string): readonly Row[] {
  const call = modelCall({ arm: "treatment", index: 0 }, { input_tokens: 90_000 });
  return [
    scene.row(user, { type: "exposure" }),
    ...Array.from({ length: 1_001 }, (_, i) => scene.row(user, { ...call, timestamp: at(13) + i })),
  ];
}
