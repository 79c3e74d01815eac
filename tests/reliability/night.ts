import pg from "pg";
import { expectOk, send } from "../e2e/support/service.ts";
import { until } from "../e2e/support/until.ts";
import type { Deployment } from "./deployment.ts";
import { experimentBody, type Stage } from "./stage.ts";

const EXPERIMENTS = 4;
const USERS_PER_ARM = 240;
const DAY_MS = 86_400_000;
const NIGHT_MS = 240_000;
const POLL_MS = 10;

/** Experiments with traffic from yesterday that no nightly run has analyzed yet. */
export interface Night {
  readonly day: string;
  readonly experimentIds: readonly string[];
}

/** Creates a night's work. A worker that starts will do it, since it checks the last days first. */
export async function prepareNight({ deployment, credentials, others }: Stage): Promise<Night> {
  const { url } = deployment.apis[0]!;
  const at = Date.now() - DAY_MS;
  const experimentIds: string[] = [];
  for (let place = 0; place < EXPERIMENTS; place++) {
    const body = experimentBody(`night ${at} ${place}`, 100);
    const { session: headers, key } = credentials;
    const created = send<{ id: string }>(`${url}/v1/experiments`, "POST", { headers, body });
    const { id } = await expectOk(created);
    const events = ["control", "treatment"].flatMap((variant) => eventsOf(id, variant, at));
    await expectOk(send(`${url}/v1/events`, "POST", { headers: key, body: { events } }));
    others.events += events.length;
    experimentIds.push(id);
  }
  return { day: new Date(at).toISOString().slice(0, 10), experimentIds };
}

function eventsOf(experimentId: string, variant: string, at: number): readonly object[] {
  return Array.from({ length: USERS_PER_ARM }, (_, index) => {
    const about = { experiment_id: experimentId, user_id: `${variant}-${index}`, variant };
    const id = `night-${experimentId}-${variant}-${index}`;
    const bought = { type: "business_event", business_metric: "bought", value: index % 2 };
    return [
      { ...about, event_id: `${id}-seen`, type: "exposure", timestamp: new Date(at).toISOString() },
      { ...about, event_id: `${id}-bought`, ...bought, timestamp: new Date(at + 1).toISOString() },
    ];
  }).flat();
}

interface Runs {
  readonly computed: number;
  readonly running: number;
}

/** Polls the night in the database until `isReached`; throws when that takes too long. */
export async function watchNight(
  what: string,
  { day, experimentIds }: Night,
  { postgres }: Pick<Deployment, "postgres">,
  isReached: (runs: Runs) => boolean,
): Promise<void> {
  const database = new pg.Client({ connectionString: postgres.url });
  await database.connect();
  const sql = `select count(*) filter (where outcome = 'computed')::int as computed,
      count(*) filter (where outcome = 'running')::int as running
    from pipeline_runs where day = $1 and experiment_id = any($2)`;
  const look = async () => isReached((await database.query<Runs>(sql, [day, experimentIds])).rows[0]!);
  try {
    await until(what, look, NIGHT_MS, POLL_MS);
  } finally {
    await database.end();
  }
}

interface Results {
  readonly available_days: readonly string[];
  readonly results: Readonly<Record<string, { readonly n_per_arm: Readonly<Record<string, number>> }>>;
}

/** Throws unless each experiment has exactly one result for the night, over all its users. */
export async function expectWholeNight(
  { day, experimentIds }: Night,
  { deployment, credentials }: Stage,
): Promise<void> {
  for (const { url } of deployment.apis) {
    for (const id of experimentIds) {
      const address = `${url}/v1/experiments/${id}/results?day=${day}`;
      const answer = await expectOk(send<Results>(address, "GET", { headers: credentials.session }));
      const users = answer.results["bought::treatment"]?.n_per_arm;
      const isWhole = users?.control === USERS_PER_ARM && users.treatment === USERS_PER_ARM;
      if (!isWhole || answer.available_days.join() !== day)
        throw new Error(`The night of ${id} is incomplete: ${JSON.stringify(answer)}`);
    }
  }
}
