import { DAY_MS } from "@assay/domain";
import type { EventEngine } from "../engine/event-engine.ts";
import { RowBinaryReader, RowBinaryWriter } from "../engine/row-binary.ts";
import type { LoggedEvents, PartContents } from "./logged-events.ts";
import { type Codec, findState, LayerReader, StateUnusable, StateWriter, shapeOf } from "./unit-states.ts";

/** The rows of an org's analysis log. `counted` changes when one of them no longer counts. */
interface KeptKey {
  readonly orgId: string;
  readonly counted: string;
}

/** An experiment's events of a part. */
interface Kept {
  readonly part: string;
  readonly experimentId: string;
  readonly logged: readonly LoggedEvents[];
}

/** Maximum number of stored groups, some 40 bytes each. Larger logs are read again instead. */
const MOST_GROUPS = 250_000;

const CODEC: Codec<Kept> = {
  layout: 1,
  writer() {
    const bytes = new RowBinaryWriter();
    return {
      add({ part, experimentId, logged }) {
        bytes.string(part);
        bytes.string(experimentId);
        bytes.count(logged.length);
        for (const one of logged) {
          bytes.difference(one.occurredOn / DAY_MS);
          bytes.difference((one.receivedOn - one.occurredOn) / DAY_MS);
          bytes.count(one.events);
          bytes.uint64(one.occurredSum);
          bytes.uint64(one.receivedSum);
          bytes.count(one.firstAt - one.occurredOn);
          bytes.count(one.marks);
        }
      },
      finish: () => bytes.finish(),
    };
  },
  *read(buffer) {
    const bytes = new RowBinaryReader(buffer);
    while (!bytes.isAtEnd()) {
      const [part, experimentId] = [bytes.string(), bytes.string()];
      const logged = Array.from({ length: bytes.count() }, () => {
        const occurredOn = bytes.difference() * DAY_MS;
        const receivedOn = occurredOn + bytes.difference() * DAY_MS;
        const [events, occurredSum, receivedSum] = [bytes.count(), bytes.uint64(), bytes.uint64()];
        const [firstAt, marks] = [occurredOn + bytes.count(), bytes.count()];
        return { occurredOn, receivedOn, events, occurredSum, receivedSum, firstAt, marks };
      });
      yield { part, experimentId, logged };
    }
    return null;
  },
};

/** Stored in the table of experiments' states, under an empty experiment. */
const keyOf = ({ orgId, counted }: KeptKey) => ({
  orgId,
  experimentId: "",
  shape: shapeOf([CODEC.layout, "log contents", counted]),
});

/** Returns the contents stored last, by part key. Some of these parts may no longer exist. */
export async function loadKeptContents(
  engine: EventEngine,
  kept: KeptKey,
): Promise<Map<string, PartContents>> {
  const key = keyOf(kept);
  const parts = new Map<string, Map<string, readonly LoggedEvents[]>>();
  const state = await findState(engine, key, Number.MAX_SAFE_INTEGER);
  if (state === null) return parts;
  const reader = new LayerReader(engine, { key, layer: state, codec: CODEC });
  try {
    for (await reader.fill(); reader.next !== null; await reader.fill()) {
      const { part, experimentId, logged } = reader.next;
      const contents = parts.get(part) ?? new Map<string, readonly LoggedEvents[]>();
      parts.set(part, contents);
      if (logged.length > 0) contents.set(experimentId, logged);
      reader.take();
    }
  } catch (error) {
    if (!(error instanceof StateUnusable)) throw error;
    return new Map();
  }
  return parts;
}

/** Stores the contents of the parts for other processes, until the states of the day are dropped. */
export async function keepContents(
  engine: EventEngine,
  kept: KeptKey,
  parts: ReadonlyMap<string, PartContents>,
): Promise<void> {
  let groups = 0;
  for (const contents of parts.values()) for (const logged of contents.values()) groups += logged.length;
  if (groups > MOST_GROUPS) return;
  const writer = new StateWriter(engine, { key: keyOf(kept), codec: CODEC, base: null });
  for (const [part, contents] of parts) {
    // A part without events of the org must be known too.
    if (contents.size === 0) writer.add({ part, experimentId: "", logged: [] });
    for (const [experimentId, logged] of contents) writer.add({ part, experimentId, logged });
    await writer.flush();
  }
  await writer.commit({ closedBefore: Date.now(), content: "", basis: "" });
}
