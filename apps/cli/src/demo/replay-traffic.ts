import { Client } from "@assay/client";
import { DAY_MS, type Day, startOfDay } from "@assay/domain";
import { CommandError } from "../command-error.ts";
import data from "./prompt-variants.json" with { type: "json" };

export interface Replay {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly experiment: string;
  /** The UTC day over which the traffic is spread. */
  readonly day: Day;
}

const PROGRESS_EVERY = 161;

/** Sends the 805 users through the client: it assigns each, and their events carry the figures of that item under that variant. */
export async function replayTraffic({ baseUrl, apiKey, experiment, day }: Replay): Promise<void> {
  const clock = { now: startOfDay(day) };
  const client = new Client({ apiKey, baseUrl, experiments: [experiment], now: () => clock.now });
  try {
    if (!(await client.ready()))
      throw new CommandError("The client did not get its config from the service.");
    for (const [index, figures] of data.items.entries()) {
      clock.now = startOfDay(day) + Math.floor(((index + 0.5) / data.items.length) * DAY_MS);
      sendUser(client, { experiment, user: `user-${String(index).padStart(3, "0")}`, figures });
      const sent = index + 1;
      if (sent % PROGRESS_EVERY === 0)
        console.log(`Sending traffic through the client … ${sent} of ${data.items.length} users`);
    }
    if (!(await client.flush(60_000)))
      throw new CommandError("The client could not deliver all events; see the warnings above.");
  } finally {
    await client.close();
  }
}

interface User {
  readonly experiment: string;
  readonly user: string;
  /** Per variant: characters, tokens, judge preference. */
  readonly figures: readonly (readonly number[])[];
}

function sendUser(client: Client, { experiment, user, figures }: User): void {
  const variant = client.assign(experiment, user);
  const [characters, tokens, preference] = figures[data.variants.indexOf(variant ?? "")] ?? [];
  if (variant === null || characters === undefined || tokens === undefined || preference === undefined) {
    throw new CommandError(
      `The client assigned ${user} to "${variant}", which the demo's data does not know.`,
    );
  }
  const about = { experiment_id: experiment, user_id: user, variant };
  client.track("model_call", {
    ...about,
    model: data.model,
    provider: "openai",
    output_tokens: tokens,
    error: false,
  });
  client.track("business_event", { ...about, business_metric: "answer_characters", value: characters });
  client.track("business_event", { ...about, business_metric: "judge_preference", value: preference });
}
