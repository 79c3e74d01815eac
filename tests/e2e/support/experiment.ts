import { randomUUID } from "node:crypto";
import { expectOk, ownerSession, type RunningService } from "./service.ts";

/** What a test needs to talk to a service about one experiment; stays valid over restarts on the same data folder. */
export interface Access {
  readonly session: Readonly<Record<string, string>>;
  readonly key: Readonly<Record<string, string>>;
}

export interface Event {
  readonly event_id: string;
  readonly type: "exposure" | "model_call" | "business_event";
  readonly experiment_id: string;
  readonly user_id: string;
  readonly timestamp: string;
  readonly variant: string;
  readonly business_metric?: string;
  readonly value?: number;
  readonly error?: boolean;
}

export interface EventAck {
  readonly accepted: number;
  readonly config_version: number;
  readonly rejected: readonly unknown[];
}

/** Signs in as the owner and makes a secret key. */
export async function openAccess(service: RunningService): Promise<Access> {
  const session = await ownerSession(service);
  const request = { headers: session, body: { scope: "secret" } };
  const { key } = await expectOk(service.send<{ key: string }>("POST", "/v1/keys", request));
  return { session, key: { "x-api-key": key } };
}

/** What `createExperiment` sends: two equal arms, control and treatment, with one binary metric "bought". */
export function experimentBody(name: string) {
  const bought = {
    name: "bought",
    kind: "binary",
    category: "business",
    method_default: "auto",
    metric_version: 1,
    shared_org_wide: false,
  };
  return {
    name,
    salt: `salt-${name}`,
    bucket_count: 1000,
    // Events of these tests name the variant themselves.
    assignment: "external",
    allocation: [
      { variant: "control", weight: 1 },
      { variant: "treatment", weight: 1 },
    ],
    metrics: [bought],
  };
}

/** Creates a running experiment of two equal arms, control and treatment, with one binary metric "bought". */
export async function createExperiment(
  service: RunningService,
  { session }: Access,
  name: string,
): Promise<string> {
  const body = experimentBody(name);
  const created = service.send<{ id: string }>("POST", "/v1/experiments", { headers: session, body });
  return (await expectOk(created)).id;
}

/** Makes an event with an id of its own. */
export function makeEvent(
  experimentId: string,
  event: Pick<Event, "type" | "user_id" | "variant"> & Partial<Event>,
): Event {
  return {
    event_id: randomUUID(),
    experiment_id: experimentId,
    timestamp: new Date().toISOString(),
    ...event,
  };
}

/** Sends events in batches of at most 1,000; all of them must be accepted. */
export async function postEvents(
  service: RunningService,
  { key }: Access,
  events: readonly Event[],
): Promise<void> {
  for (let start = 0; start < events.length; start += 1_000) {
    const batch = events.slice(start, start + 1_000);
    const body = { events: batch };
    const ack = await expectOk(service.send<EventAck>("POST", "/v1/events", { headers: key, body }));
    if (ack.accepted !== batch.length) throw new Error(`Rows were refused: ${JSON.stringify(ack.rejected)}`);
  }
}
