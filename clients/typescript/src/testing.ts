/** A client for an application's unit tests. */

import { Client } from "./client.ts";
import type { EventPayload, EventType } from "./event-row.ts";
import type { KeptEvent } from "./offline-store.ts";

/** Everybody's variant in an experiment: its key, or its key and content; null for no variant. */
export type FixedVariant =
  | string
  | null
  | {
      readonly variant: string;
      readonly prompt?: string | undefined;
      readonly variables?: Readonly<Record<string, unknown>> | undefined;
    };

/** A client that gives everybody the same variants, makes no requests, and keeps its events in a list. */
export class TestClient extends Client {
  /** The events so far, oldest first, as they would be sent. */
  readonly events: Readonly<Record<string, unknown>>[] = [];

  /** @internal A framework may add to an event that waits. */
  protected override rowOf(event: EventType, payload: EventPayload): KeptEvent {
    const kept = super.rowOf(event, payload);
    let { row } = kept;
    const shown = JSON.parse(row);
    this.events.push(shown);
    return {
      ...kept,
      get row() {
        return row;
      },
      set row(changed) {
        row = changed;
        Object.assign(shown, JSON.parse(changed));
      },
    };
  }
}

/**
 * Makes a client for unit tests, which needs no key. `variants` has everybody's variant by the name of the experiment, which is its id too;
 * in an experiment that is not named, nobody has one. Throws a TypeError for anything else.
 *
 * @example
 * const client = createTestClient({ greeting: { variant: "short", prompt: "Be brief." } });
 * client.getPrompt("greeting", "ann", "Answer.").prompt; // "Be brief."
 * client.events.map(({ type }) => type); // ["exposure"]
 */
export function createTestClient(variants: Readonly<Record<string, FixedVariant>>): TestClient {
  const experiments = Object.entries(variants).map(([name, fixed]) => {
    const variant = toVariant(name, fixed);
    return {
      ...{ id: name, name, status: "running", salt: "", bucket_count: 1 },
      buckets: [[1, variant === null ? -1 : 0]],
      variants: variant === null ? [] : [variant],
    };
  });
  return new TestClient({ offline: true, bootstrap: { config_version: 0, experiments } });
}

function toVariant(name: string, fixed: FixedVariant): object | null {
  if (fixed === null) return null;
  const { variant: key, ...content } = typeof fixed === "object" ? fixed : { variant: fixed };
  if (
    typeof key !== "string" ||
    Object.keys(content).some((part) => part !== "prompt" && part !== "variables")
  )
    throw new TypeError(`${name}: a key, null, or an object with variant, prompt and variables`);
  return { key, ...content };
}
