import { createHash, randomInt } from "node:crypto";
import type { EventEngine } from "../engine/event-engine.ts";
import { RowBinaryReader } from "../engine/row-binary.ts";

/** Writes units, one after the other, as bytes. */
export interface UnitWriter<U> {
  add(unit: U): void;
  finish(): Buffer;
}

/** How units are stored. They are read one by one: all of a chunk would outlive the garbage collector's young generation. */
export interface Codec<U> {
  /** A part of the state's shape: one that was written in another layout is made anew. */
  readonly layout: number;
  writer(): UnitWriter<U>;
  read(bytes: Buffer): Iterator<U, null>;
}

/** Which state of which experiment: `shape` names all that a unit's state depends on besides the events. */
export interface StateKey {
  readonly orgId: string;
  readonly experimentId: string;
  readonly shape: string;
}

/** A stored state: what an experiment's units came to by the events that occurred and were received before `closedBefore`. */
export interface StoredState {
  /** Epoch milliseconds, a midnight in UTC. */
  readonly closedBefore: number;
  /** The number that its rows have. */
  readonly fold: string;
  readonly chunks: number;
  /** A text that differs once any of its events comes or goes. */
  readonly content: string;
  /** What else the units were made of, as whoever stored them noted it; empty if of nothing. */
  readonly basis: string;
}

/** Thrown when a stored state cannot be used after all: the analysis begins again without it. */
export class StateUnusable extends Error {}

const UNITS_PER_CHUNK = 4_096;
/** Chunks that are in memory at once: some tens of megabytes. */
const CHUNKS_PER_READ = 32;
const CHARACTERS_PER_INSERT = 8 * 1024 * 1024;

/** Returns the name of a shape. */
export function shapeOf(parts: unknown): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

/** True for the rows of a state's key. */
const OF_STATE =
  "org_id = {org_id: String} AND experiment_id = {experiment_id: String} AND shape = {shape: String}";

function paramsOf({ orgId, experimentId, shape }: StateKey): Record<string, unknown> {
  return { org_id: orgId, experiment_id: experimentId, shape };
}

/** Finds the newest state that has no event from `until` on. */
export async function findState(
  engine: EventEngine,
  key: StateKey,
  until: number,
): Promise<StoredState | null> {
  const [row] = await engine.rows<
    [closedBefore: number, fold: string, chunks: number, content: string, basis: string]
  >(
    `SELECT closed_before, toString(fold), chunk, content, basis FROM unit_states
     WHERE ${OF_STATE} AND closed_before > 0 AND closed_before <= {until: Int64}
     ORDER BY closed_before DESC, fold DESC LIMIT 1`,
    { ...paramsOf(key), until },
  );
  if (row === undefined) return null;
  const [closedBefore, fold, chunks, content, basis] = row;
  return { closedBefore, fold, chunks, content, basis };
}

/** Reads a state's units in the order of their hashes. */
export class StateReader<U> {
  readonly #engine: EventEngine;
  readonly #key: StateKey;
  readonly state: StoredState;
  readonly #codec: Codec<U>;
  #chunks: string[] = [];
  #chunksRead = 0;
  #units: Iterator<U, null> | null = null;
  #next: U | null = null;

  constructor(
    engine: EventEngine,
    { key, state, codec }: { readonly key: StateKey; readonly state: StoredState; readonly codec: Codec<U> },
  ) {
    this.#engine = engine;
    this.#key = key;
    this.state = state;
    this.#codec = codec;
  }

  /** The next unit, which `take` passes; null after the last one, and when `fill` must be called. */
  get next(): U | null {
    return this.#next;
  }

  take(): void {
    this.#next = this.#units!.next().value;
  }

  /** Makes the next unit available, if there is one. */
  async fill(): Promise<void> {
    if (this.next !== null) return;
    if (this.#chunks.length === 0 && this.#chunksRead < this.state.chunks) await this.#readChunks();
    const chunk = this.#chunks.shift();
    if (chunk === undefined) return;
    this.#units = this.#codec.read(Buffer.from(chunk, "base64"));
    this.take();
  }

  async #readChunks(): Promise<void> {
    const wanted = Math.min(CHUNKS_PER_READ, this.state.chunks - this.#chunksRead);
    const answer = await this.#engine.rowBinary(
      `SELECT units FROM unit_states
       WHERE ${OF_STATE} AND fold = {fold: UInt64} AND chunk >= {first: UInt32} AND chunk < {first: UInt32} + {wanted: UInt32}
       ORDER BY chunk`,
      { ...paramsOf(this.#key), fold: this.state.fold, first: this.#chunksRead, wanted },
    );
    const rows = new RowBinaryReader(answer);
    while (!rows.isAtEnd()) this.#chunks.push(rows.string());
    if (this.#chunks.length !== wanted) throw new StateUnusable("Chunks of the state are gone.");
    this.#chunksRead += wanted;
  }
}

/** Stores a state's units, which must come in the order of their hashes. Nothing reads them before `commit`. */
export class StateWriter<U> {
  readonly #engine: EventEngine;
  readonly #key: StateKey;
  readonly #codec: Codec<U>;
  readonly #fold = nextFold();
  #units: UnitWriter<U>;
  #inChunk = 0;
  #chunks = 0;
  #lines: string[] = [];
  #characters = 0;

  constructor(engine: EventEngine, { key, codec }: { readonly key: StateKey; readonly codec: Codec<U> }) {
    this.#engine = engine;
    this.#key = key;
    this.#codec = codec;
    this.#units = codec.writer();
  }

  /** Adds a unit. */
  add(unit: U): void {
    this.#units.add(unit);
    this.#inChunk += 1;
    if (this.#inChunk === UNITS_PER_CHUNK) this.#endChunk();
  }

  /** Stores what was added, once it is enough for an insert. */
  async flush(): Promise<void> {
    if (this.#characters >= CHARACTERS_PER_INSERT) await this.#insert();
  }

  /** Makes the state the one that analyses read. */
  async commit(state: Pick<StoredState, "closedBefore" | "content" | "basis">): Promise<void> {
    if (this.#inChunk > 0) this.#endChunk();
    this.#addRow("", state);
    await this.#insert();
  }

  #endChunk(): void {
    this.#addRow(this.#units.finish().toString("base64"), { closedBefore: 0, content: "", basis: "" });
    this.#chunks += 1;
    this.#inChunk = 0;
    this.#units = this.#codec.writer();
  }

  #addRow(
    units: string,
    { closedBefore, content, basis }: Pick<StoredState, "closedBefore" | "content" | "basis">,
  ): void {
    const { orgId, experimentId, shape } = this.#key;
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

/** A number that no other fold has. Of two folds of the same events, either may be read. */
function nextFold(): string {
  return String((BigInt(Date.now()) << 20n) + BigInt(randomInt(2 ** 20)));
}
