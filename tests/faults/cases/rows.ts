import type { Fault } from "../fault.ts";
import { at, ok } from "../lab.ts";
import { CLIENT, type Scene, SERVER } from "../scene.ts";
import { type Row, sells } from "../traffic.ts";

/** Outcomes go out with a fault in every row, and then again without it. */
const resent = (name: string, fault: (row: Row) => Row, refused: RegExp): Fault => ({
  name,
  habit: sells,
  async happens(scene) {
    const people = await scene.people();
    await scene.send(scene.exposures(people), CLIENT);
    await scene.send(scene.outcomes(people).map(fault), SERVER);
  },
  shows: { refused, times: 285 },
  repair: async (scene) => scene.send(scene.outcomes(await scene.people()), SERVER),
});

const DAYS_MS = 86_400_000;
const HEADER = "event_id,type,experiment_id,user_id,timestamp,business_metric";
const csvOf = (rows: readonly Row[]): string =>
  [
    HEADER,
    ...rows.map((row) =>
      HEADER.split(",")
        .map((field) => row[field])
        .join(","),
    ),
  ].join("\n");

/** Rows that are refused, each for itself. */
export const ROW_FAULTS: readonly Fault[] = [
  resent("a value is null", (row) => ({ ...row, value: null }), /^value must be a finite number\.$/),
  resent("a number is sent as text", (row) => ({ ...row, value: "1" }), /^value must be a finite number\.$/),
  resent(
    "instants are in seconds",
    (row) => ({ ...row, timestamp: Math.floor(Number(row.timestamp) / 1_000) }),
    /^timestamp is before the year 2000: send epoch milliseconds, not seconds\.$/,
  ),
  resent(
    "a clock is a month ahead",
    (row) => ({ ...row, timestamp: Number(row.timestamp) + 30 * DAYS_MS }),
    /^timestamp is more than 24 hours in the future\.$/,
  ),
  resent(
    "the experiment's name is misspelt",
    (row) => ({ ...row, experiment_id: "scene" }),
    /no experiment/i,
  ),
  {
    name: "exposures of last quarter come as live events",
    comesOnOtherDays: true,
    habit: sells,
    experiment: { assignment: "external" },
    async happens(scene) {
      const people = await scene.people();
      await scene.send(lastQuarter(scene.exposures(people)), SERVER);
      await scene.send(scene.outcomes(people), SERVER);
    },
    shows: {
      ...{
        refused: /^timestamp is more than 30 days before the experiment was created: send such history to/,
      },
      times: 600,
    },
    state: "no-traffic",
    repair: async (scene) => scene.importRows(lastQuarter(scene.exposures(await scene.people()))),
  },
  {
    name: "a client writes its JSON in Latin-1",
    habit: sells,
    async happens(scene) {
      const people = await scene.people();
      await scene.send(scene.exposures(people), CLIENT);
      const events = scene
        .outcomes(people)
        .map((row, i) => (i % 19 === 0 ? { ...row, user_id: `\u00e9${i}` } : row));
      const body = Buffer.from(JSON.stringify({ events }), "latin1");
      const key = scene.lab.keyOf("secret");
      type Ack = { rejected: readonly { detail: string }[] };
      const ack = await scene.lab.call<Ack>("POST", "/v1/events", { key, body });
      scene.refused.push(...ok(ack).rejected.map(({ detail }) => detail));
    },
    shows: { refused: /^The row has bytes that are not UTF-8/, times: 15 },
    repair: async (scene) => scene.send(scene.outcomes(await scene.people()), SERVER),
  },
  {
    name: "a file is not UTF-8",
    habit: sells,
    async happens(scene) {
      const people = await scene.people();
      await scene.send(scene.exposures(people), CLIENT);
      await scene.importCsv(await damagedCsv(scene));
    },
    shows: { refused: /^line \d+: .*UTF-8/, times: 15 },
    repair: async (scene) => scene.importCsv(csvOf(scene.outcomes(await scene.people()))),
  },
];

const lastQuarter = (rows: readonly Row[]): readonly Row[] =>
  rows.map((row) => ({ ...row, timestamp: at(0) - 90 * DAYS_MS }));

/** The outcomes of a tenth of the buyers have a byte of Latin-1 in the id. */
async function damagedCsv(scene: Scene): Promise<Uint8Array> {
  const file = csvOf(
    scene
      .outcomes(await scene.people())
      .map((row, i) => (i % 19 === 0 ? { ...row, event_id: `\u00e9${i}` } : row)),
  );
  return Buffer.from(file, "latin1");
}
