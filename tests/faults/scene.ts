import { assignVariant } from "@assay/bucketing";
import { at, DAY, type Lab, ok, type Sender } from "./lab.ts";
import { type Habit, type Person, type Row, USERS } from "./traffic.ts";

/** The server of an application, without a client library. */
export const SERVER: Sender = { scope: "secret" };
/** Anybody's browser. */
export const BROWSER: Sender = { scope: "publishable" };
/** The current client library. */
export const CLIENT: Sender = { scope: "secret", client: "assay-python/2.1.0" };

export interface RunResults {
  readonly computed_for: string;
  readonly revision: number;
  readonly srm: { readonly status: string; readonly observed: Readonly<Record<string, number>> };
  readonly results: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly health: readonly Finding[];
}

/** What is said about the data: a check of its health, or a remark of its run. */
export interface Finding {
  readonly code: string;
  readonly severity: string;
  readonly detail: string;
}

/** How rows differ from what a sound sender sends. */
interface Telling {
  /** Begins the event ids; another one than before sends the same again as new events. */
  readonly take?: string;
  /** When users are exposed; epoch milliseconds. */
  readonly since?: number;
}

/** One experiment and its users. */
export interface Scene {
  readonly id: string;
  readonly name: string;
  /** Every sentence that refused a row. */
  readonly refused: string[];
  /** What the fault leaves for its repair. */
  readonly notes: Map<string, string>;
  /** The night's rows as they were before the fault, to the last digit; null: not computed then. */
  readonly kept: string | null;
  /** Computes the night before the fault. */
  keepNight(): Promise<void>;
  /** Users by the bucket map in force, as many in each variant, the first with this number. */
  people(each?: number, first?: number): Promise<readonly Person[]>;
  /** Their exposures. */
  exposures(people: readonly Person[], telling?: Telling): readonly Row[];
  /** What they do a minute later. */
  outcomes(people: readonly Person[], telling?: Telling): readonly Row[];
  /** Both. */
  visits(people: readonly Person[], telling?: Telling): readonly Row[];
  /** A row of a user with an id of its own and an instant. */
  row(userId: string, row: Row): Row;
  send(rows: readonly Row[], sender: Sender): Promise<void>;
  /** Imports rows as NDJSON, or a file unchanged. */
  importRows(rows: readonly Row[]): Promise<void>;
  importCsv(file: string | Uint8Array): Promise<void>;
  sign(row: Row): Promise<void>;
  change(change: Row): Promise<void>;
  /** Sends a change that must be refused, and keeps the sentences. */
  tryChange(change: Row): Promise<void>;
  /** Sets events aside. */
  exclude(match: Row): Promise<void>;
  /** Computes a night, again if it was computed before, and reads what is served without a day. */
  night(day?: string): Promise<RunResults>;
  state(): Promise<string>;
  checks(): Promise<readonly Finding[]>;
  readonly lab: Lab;
  readonly habit: Habit;
}

let scenes = 0;

/** Creates an experiment of two equal arms for a habit, or as the change says. */
export async function openScene(lab: Lab, habit: Habit, change: Row = {}): Promise<Scene> {
  scenes += 1;
  const name = `scene-${scenes}`;
  const body = {
    ...{ name, salt: name, bucket_count: 1_000, metrics: habit.metrics },
    allocation: ["control", "treatment"].map((variant) => ({ variant, weight: 1 })),
    ...change,
  };
  const { id } = ok(await lab.call<{ id: string }>("POST", "/v1/experiments", { body }));
  const path = `/v1/experiments/${id}`;
  const refused: string[] = [];
  let rows = 0;

  const common = (person: Person, { take = "a" }: Telling, kind: string) => ({
    event_id: `${name}-${take}-${person.id}-${kind}`,
    experiment_id: id,
    user_id: person.id,
    variant: person.arm,
  });
  let kept: string | null = null;
  const scene: Scene = {
    get kept() {
      return kept;
    },
    async keepNight() {
      kept = JSON.stringify((await scene.night()).results);
    },
    ...{ id, name, refused, lab, habit, notes: new Map<string, string>() },
    async people(each = USERS, first = 0) {
      const config = await lab.configOf(id);
      const counts = new Map(config.variants.map(({ key }) => [key, 0]));
      const found: Person[] = [];
      const open = new Set(["control", "treatment"]);
      for (let i = 0; open.size > 0; i++) {
        const user = `${name}-u${first}-${i}`;
        const arm = assignVariant(config, user);
        if (arm === null || !open.has(arm)) continue;
        const index = counts.get(arm) ?? 0;
        found.push({ id: user, arm, index });
        counts.set(arm, index + 1);
        if (index + 1 === each) open.delete(arm);
      }
      return found;
    },
    exposures: (people, telling = {}) =>
      people.map((person) => ({
        ...common(person, telling, "e"),
        ...{ type: "exposure", timestamp: (telling.since ?? at(8)) + person.index },
      })),
    outcomes: (people, telling = {}) =>
      people.flatMap((person) =>
        habit.act(person).map((row, i) => ({
          ...common(person, telling, `o${i}`),
          timestamp: (telling.since ?? at(8)) + 60_000 + person.index,
          ...row,
        })),
      ),
    visits: (people, telling) => [...scene.exposures(people, telling), ...scene.outcomes(people, telling)],
    row(userId, row) {
      rows += 1;
      const event_id = `${name}-row-${rows}`;
      return { event_id, experiment_id: id, user_id: userId, timestamp: at(12), ...row };
    },
    async send(sent, sender) {
      refused.push(...(await lab.post(sent, sender)));
    },
    async importRows(sent) {
      const file = sent.map((row) => JSON.stringify(row)).join("\n");
      refused.push(...(await lab.importFile(file, "application/x-ndjson")));
    },
    async importCsv(file) {
      refused.push(...(await lab.importFile(file, "text/csv")));
    },
    sign: lab.sign,
    async change(change) {
      ok(await lab.call("PUT", path, { body: change }));
    },
    async tryChange(change) {
      const answer = await lab.call<{ errors?: readonly Fault[] }>("PUT", path, { body: change });
      if (answer.status !== 400) throw new Error(`The change was not refused: ${answer.status}.`);
      refused.push(...(answer.body.errors ?? []).map(({ pointer, detail }) => `${pointer}: ${detail}`));
    },
    async exclude(match) {
      ok(await lab.call("POST", `${path}/exclusions`, { body: { reason: "fault", match } }));
    },
    async night(day = DAY) {
      const answer = await lab.call<RunResults>("POST", `${path}/runs`, { body: { day } });
      // A night without enough data stores no run.
      if (answer.status !== 404) ok(answer);
      const served = await lab.call<RunResults>("GET", `${path}/results`);
      return served.status === 404 ? NO_RUN : ok(served);
    },
    state: async () => ok(await lab.call<{ state: string }>("GET", `${path}/overview`)).state,
    async checks() {
      type Health = { checks: readonly Finding[]; remarks: readonly Finding[] };
      const { checks, remarks } = ok(await lab.call<Health>("GET", `${path}/health`));
      return [...checks, ...remarks];
    },
  };
  return scene;
}

interface Fault {
  readonly pointer: string;
  readonly detail: string;
}

const NO_RUN: RunResults = {
  computed_for: "none",
  revision: 0,
  srm: { status: "passed", observed: {} },
  results: {},
  health: [],
};
