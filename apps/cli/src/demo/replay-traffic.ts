import { Client } from "@assay/client";
import type { Day } from "@assay/domain";
import type { Demo, DemoUser } from "@assay/server";
import { CommandError } from "../command-error.ts";

export interface Replay {
  readonly demo: Demo;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly experiment: string;
  /** The UTC day on which the traffic begins. */
  readonly firstDay: Day;
}

const PROGRESS_LINES = 5;

/** Assigns the demo's users with the client library and sends the outcomes that each user has under that variant. */
export async function replayTraffic({ demo, baseUrl, apiKey, experiment, firstDay }: Replay): Promise<void> {
  const users = demo.users(firstDay);
  const progressEvery = Math.ceil(users.length / PROGRESS_LINES);
  const clock = { now: 0 };
  const client = new Client({ apiKey, baseUrl, experiments: [experiment], now: () => clock.now });
  try {
    if (!(await client.ready()))
      throw new CommandError("The client did not get its config from the service.");
    for (const [index, user] of users.entries()) {
      clock.now = user.at;
      sendUser(client, { demo, experiment }, user);
      const sent = index + 1;
      if (sent % progressEvery === 0)
        console.log(`Sending traffic through the client … ${sent} of ${users.length} users`);
    }
    if (!(await client.flush(60_000)))
      throw new CommandError("The client could not deliver all events; see the warnings above.");
  } finally {
    await client.close();
  }
}

function sendUser(
  client: Client,
  { demo, experiment }: Pick<Replay, "demo" | "experiment">,
  user: DemoUser,
): void {
  const variant = client.assign(experiment, user.id);
  const about = { experiment_id: experiment, user_id: user.id, variant };
  // The ids determine which answers readers see, so they are the same in every demo.
  for (const { type, key, afterMs, fields } of demo.outcomes(user, variant)) {
    const timestamp = user.at + afterMs;
    client.track(type, { ...about, ...fields, timestamp, event_id: `${user.id}-${key}` });
  }
}
