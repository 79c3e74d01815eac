import { createHash, randomInt } from "node:crypto";
import type { EventEngine } from "../engine/event-engine.ts";
import { RowBinaryReader } from "../engine/row-binary.ts";

/** Writes a series of units as bytes. */
export interface UnitWriter<U> {
  add(unit: U): void;
  finish(): Buffer;
}

/** The encoding of units. They are read one by one, because a whole chunk would outlive the garbage collector's young generation. */
export interface Codec<U> {
  /** A part of the state's shape. A state with another layout is computed again. */
  readonly layout: number;
  writer(): UnitWriter<U>;
  read(bytes: Buffer): Iterator<U, null>;
}

/** Identifies a state: its experiment, and a `shape` that names everything a unit's state depends on besides the events. */
export interface StateKey {
  readonly orgId: string;
  readonly experimentId: string;
  readonly shape: string;
}

/** Rows of units in the order of their hashes. */
export interface StateLayer {
  /** The fold number of the rows. */
  readonly fold: string;
  readonly chunks: number;
}

/**
 * A stored state: the values of an experiment's units after the events that occurred and were received before `closedBefore`. It
 * contains all units, or only those that changed since its base, which contains all.
 */
export interface StoredState extends StateLayer {
  /** Epoch milliseconds, a midnight in UTC. */
  readonly closedBefore: number;
  readonly base: StateLayer | null;
  /** Whether it was stored today or yesterday. Such a state stays until the next night has read it. */
  readonly isRecent: boolean;
  /** A text that changes when any of its events comes or goes. */
  readonly content: string;
  /** A note by the writer of the state on what else the units were computed from; empty if on nothing else. */
  readonly basis: string;
}

/** Thrown when a stored state turns out to be unusable. The analysis then starts again without it. */
export class StateUnusable extends Error {}

const UNITS_PER_CHUNK = 4_096;
/** Chunks in memory at once: some tens of megabytes. */
const CHUNKS_PER_READ = 32;
const CHARACTERS_PER_INSERT = 8 * 1024 * 1024;

/** Returns the name of a shape. */
export function shapeOf(parts: unknown): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

/** True for the rows of states with this key. */
const OF_STATE =
  "org_id = {org_id: String} AND experiment_id = {experiment_id: String} AND shape = {shape: String}";

function paramsOf({ orgId, experimentId, shape }: StateKey): Record<string, unknown> {
  return { org_id: orgId, experiment_id: experimentId, shape };
}

/** Finds the newest state without events from `until` on. */
export async function findState(
  engine: EventEngine,
  key: StateKey,
  until: number,
): Promise<StoredState | null> {
  // There are few rows, and planning an order and a limit would take the engine a quarter more time.
  const found = await engine.rows<
    [closedBefore: number, fold: string, chunks: number, isRecent: 0 | 1, content: string, basis: string]
  >(
    `SELECT closed_before, toString(fold), chunk, folded_on >= today() - 1, content, basis FROM unit_states
     WHERE ${OF_STATE} AND closed_before > 0`,
    paramsOf(key),
  );
  const [row] = found
    .filter(([closedBefore]) => closedBefore <= until)
    .sort((one, other) => other[0] - one[0] || (BigInt(other[1]) > BigInt(one[1]) ? 1 : -1));
  if (row === undefined) return null;
  const [closedBefore, fold, chunks, isRecent, content, basis] = row;
  return { closedBefore, fold, chunks, content, isRecent: isRecent === 1, ...readMore(basis) };
}

/** Lists states of an org's experiments that end at some midnights, oldest first, without stored log contents. */
export async function statesAt(
  engine: EventEngine,
  orgId: string,
  closedBefore: readonly number[],
): Promise<readonly (Pick<StateKey, "experimentId"> & Pick<StoredState, "closedBefore" | "basis">)[]> {
  const found = await engine.rows<[experimentId: string, closedBefore: number, basis: string]>(
    `SELECT experiment_id, closed_before, basis FROM unit_states
     WHERE org_id = {org_id: String} AND experiment_id != '' AND closed_before IN {closed_before: Array(Int64)} ORDER BY fold`,
    { org_id: orgId, closed_before: closedBefore },
  );
  return found.map(([experimentId, at, basis]) => ({
    experimentId,
    closedBefore: at,
    basis: readMore(basis).basis,
  }));
}

const readMore = (text: string) => JSON.parse(text) as Pick<StoredState, "base" | "basis">;

/** A series of units in the order of their hashes. */
export interface UnitSource<U> {
  /** The next unit. `take` moves past it. Null after the last unit, and when `fill` must be called. */
  readonly next: U | null;
  /** Whether the next unit is among those that changed since a whole state. */
  readonly isNextChanged: boolean;
  take(): void;
  /** Makes the next unit available, if there is one. */
  fill(): Promise<void>;
}

interface Stored<U> {
  readonly key: StateKey;
  readonly state: Pick<StoredState, keyof StateLayer | "base">;
  readonly codec: Codec<U>;
}

/** Reads a state's units. For a state with a base, reads the base and the units that changed since. */
export function readState<U extends { readonly hash: bigint }>(
  engine: EventEngine,
  { key, state, codec }: Stored<U>,
): UnitSource<U> {
  const readerOf = (layer: StateLayer) => new LayerReader(engine, { key, layer, codec });
  if (state.base === null) return readerOf(state);
  return mergeLayers([readerOf(state), readerOf(state.base)]);
}

/** Merges layers. If several contain a unit, the first layer's version counts. Units of the first layer are the changed ones. */
export function mergeLayers<U extends { readonly hash: bigint }>(
  layers: readonly LayerReader<U>[],
): UnitSource<U> {
  let least: LayerReader<U> | null = null;
  const find = () => {
    least = null;
    if (layers.some((layer) => layer.next === null && !layer.isAtEnd)) return;
    for (const layer of layers)
      if (layer.next !== null && (least === null || layer.next.hash < least.next!.hash)) least = layer;
  };
  return {
    get next() {
      return least?.next ?? null;
    },
    get isNextChanged() {
      return least === layers[0];
    },
    take() {
      const { hash } = least!.next!;
      for (const layer of layers) if (layer.next?.hash === hash) layer.take();
      find();
    },
    async fill() {
      for (const layer of layers) await layer.fill();
      find();
    },
  };
}

interface Layer<U> {
  readonly key: StateKey;
  readonly layer: StateLayer;
  readonly codec: Codec<U>;
  readonly chunksPerRead?: number;
}

/** Reads the units of one layer. */
export class LayerReader<U> implements UnitSource<U> {
  readonly isNextChanged = false;
  readonly #engine: EventEngine;
  readonly #key: StateKey;
  readonly #layer: StateLayer;
  readonly #codec: Codec<U>;
  readonly #chunksPerRead: number;
  #chunks: Buffer[] = [];
  #chunksRead = 0;
  #units: Iterator<U, null> | null = null;
  #next: U | null = null;

  constructor(engine: EventEngine, { key, layer, codec, chunksPerRead = CHUNKS_PER_READ }: Layer<U>) {
    this.#engine = engine;
    this.#key = key;
    this.#layer = layer;
    this.#codec = codec;
    this.#chunksPerRead = chunksPerRead;
  }

  get next(): U | null {
    return this.#next;
  }

  /** Whether no unit is left. */
  get isAtEnd(): boolean {
    return this.#next === null && this.#chunks.length === 0 && this.#chunksRead === this.#layer.chunks;
  }

  take(): void {
    this.#next = this.#units!.next().value;
  }

  async fill(): Promise<void> {
    if (this.next !== null) return;
    if (this.#chunks.length === 0 && this.#chunksRead < this.#layer.chunks) await this.#readChunks();
    const chunk = this.#chunks.shift();
    if (chunk === undefined) return;
    this.#units = this.#codec.read(chunk);
    this.take();
  }

  async #readChunks(): Promise<void> {
    const wanted = Math.min(this.#chunksPerRead, this.#layer.chunks - this.#chunksRead);
    const answer = await this.#engine.rowBinary(
      `SELECT base64Decode(units) FROM unit_states
       WHERE ${OF_STATE} AND fold = {fold: UInt64} AND chunk >= {first: UInt32} AND chunk < {first: UInt32} + {wanted: UInt32}
       ORDER BY chunk`,
      { ...paramsOf(this.#key), fold: this.#layer.fold, first: this.#chunksRead, wanted },
    );
    const rows = new RowBinaryReader(answer);
    while (!rows.isAtEnd()) this.#chunks.push(rows.buffer());
    if (this.#chunks.length !== wanted) throw new StateUnusable("Chunks of the state are gone.");
    this.#chunksRead += wanted;
  }
}

interface NewState<U> {
  readonly key: StateKey;
  readonly codec: Codec<U>;
  /** The state that contains all units not added here; null if all units are added. */
  readonly base: StateLayer | null;
}

/** Stores a state's units. Add them in the order of their hashes. Nothing reads them before `commit`. */
export class StateWriter<U> {
  readonly base: StateLayer | null;
  /** What is stored, and how. */
  readonly stored: Pick<NewState<U>, "key" | "codec">;
  readonly #engine: EventEngine;
  readonly #fold = nextFold();
  #units: UnitWriter<U>;
  #inChunk = 0;
  #chunks = 0;
  #lines: string[] = [];
  #characters = 0;

  constructor(engine: EventEngine, { key, codec, base }: NewState<U>) {
    this.#engine = engine;
    this.base = base;
    this.stored = { key, codec };
    this.#units = codec.writer();
  }

  /** Adds a unit. */
  add(unit: U): void {
    this.#units.add(unit);
    this.#inChunk += 1;
    if (this.#inChunk === UNITS_PER_CHUNK) this.#endChunk();
  }

  /** Stores the added units once there are enough for an insert. */
  async flush(): Promise<void> {
    if (this.#characters >= CHARACTERS_PER_INSERT) await this.#insert();
  }

  /** Stores the remaining units and returns the layer, which is not visible to others yet. */
  async finish(): Promise<StateLayer> {
    if (this.#inChunk > 0) this.#endChunk();
    if (this.#lines.length > 0) await this.#insert();
    return { fold: this.#fold, chunks: this.#chunks };
  }

  /** Makes this the state that analyses read. */
  async commit({ basis, ...state }: Pick<StoredState, "closedBefore" | "content" | "basis">): Promise<void> {
    if (this.#inChunk > 0) this.#endChunk();
    this.#addRow("", { ...state, basis: JSON.stringify({ base: this.base, basis }) });
    await this.#insert();
  }

  #endChunk(): void {
    this.#addRow(this.#units.finish().toString("base64"), { closedBefore: 0, content: "", basis: "" });
    this.#chunks += 1;
    this.#inChunk = 0;
    this.#units = this.stored.codec.writer();
  }

  #addRow(
    units: string,
    { closedBefore, content, basis }: Pick<StoredState, "closedBefore" | "content" | "basis">,
  ): void {
    const { orgId, experimentId, shape } = this.stored.key;
    const row = [orgId, experimentId, shape, this.#fold, this.#chunks, units, closedBefore, content, basis];
    const line = `${JSON.stringify(row)}\n`;
    this.#lines.push(line);
    this.#characters += line.length;
  }

  async #insert(): Promise<void> {
    await this.#engine.insert(
      "unit_states",
      ["org_id", "experiment_id", "shape", "fold", "chunk", "units", "closed_before", "content", "basis"],
      this.#lines,
    );
    this.#lines = [];
    this.#characters = 0;
  }
}

/** Returns a unique fold number. Of two folds of the same events, either may be read. */
function nextFold(): string {
  return String((BigInt(Date.now()) << 20n) + BigInt(randomInt(2 ** 20)));
}
