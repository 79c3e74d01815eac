import { DAY_MS } from "@assay/domain";
import type { EngineClient } from "../engine/engine-client.ts";
import { firstBitsOf, ID_BYTES, isTimeOrderedSql, madeAt } from "../sql/id-bits.ts";
import { BloomFilter, hashOfId, type IdHash } from "./bloom-filter.ts";

/** Room of the first filter of a list; each further one has twice the room of the one before. */
const LEAST_IDS = 65_536;
/** Takes 5 MiB. At 40,000 events a second, one is full after 50 seconds. */
const MOST_IDS = 2_097_152;
const FILTERS = 4;
/** Ids from clocks that are ahead by more are kept apart: once they are forgotten, nothing is known until their time has come. */
const AHEAD_MS = 60_000;
/** Ids that are made later than that after the start are not known. Ids of all times would be all random ones, too. */
const KNOWN_MS = 3_650 * DAY_MS;
const MOST_LOADED = 1_000_000;

/** Limits that tests lower. */
export interface TimeOrderedIdsLimits {
  /** How many ids the smallest and the largest filter have room for. */
  readonly least?: number;
  readonly most?: number;
  readonly mostLoaded?: number;
}

/**
 * Rules out time-ordered ids (UUIDv7) that cannot be stored, in the only process that stores events: those that were made since it began and that
 * it was not given. If there are many, it forgets older ones, and what was made before the last of them is not known any more.
 *
 * What it knows depends on no clock: by a wrong one, it only knows less.
 */
export class TimeOrderedIds {
  readonly #from: number;
  readonly #limits: Required<TimeOrderedIdsLimits>;
  readonly #usual: NewestIds;
  readonly #ahead: NewestIds;
  #isLoaded = false;

  /** All ids that are stored from now on must be added, and what is stored must be loaded. */
  constructor(limits: TimeOrderedIdsLimits = {}) {
    this.#from = Date.now();
    this.#limits = { least: LEAST_IDS, most: MOST_IDS, mostLoaded: MOST_LOADED, ...limits };
    this.#usual = new NewestIds(this.#limits);
    this.#ahead = new NewestIds(this.#limits);
  }

  /** Adds an id, by its bits. */
  add(bits: Buffer, offset = 0): void {
    const at = madeAt(bits, offset);
    if (!this.#isKnown(at)) return;
    const ids = at > Date.now() + AHEAD_MS ? this.#ahead : this.#usual;
    ids.add(hashOfId(bits, offset), at);
  }

  /** Returns whether an id may be stored, by its bits. */
  mayHold(bits: Buffer): boolean {
    if (!this.#isLoaded || !this.#isKnown(madeAt(bits))) return true;
    const hash = hashOfId(bits);
    return this.#usual.mayHold(hash) || this.#ahead.mayHold(hash);
  }

  /** Loads the stored ids that clocks made that were ahead: hardly any. If there are too many, nothing is known until the next start. */
  async load(engine: EngineClient): Promise<void> {
    const { mostLoaded } = this.#limits;
    const ids = await engine.rowBinary(
      `SELECT id FROM stored_ids WHERE id >= toFixedString(unhex({from: String}), ${ID_BYTES})
         AND id < toFixedString(unhex({until: String}), ${ID_BYTES}) AND ${isTimeOrderedSql("id")}
       LIMIT ${mostLoaded + 1}`,
      { from: digitsFrom(this.#from), until: digitsFrom(this.#from + KNOWN_MS) },
      { max_threads: 1 },
    );
    if (ids.length > mostLoaded * ID_BYTES) return;
    for (let at = 0; at < ids.length; at += ID_BYTES) this.add(ids, at);
    this.#isLoaded = true;
  }

  /** Whether it has all stored ids that were made at an instant. */
  #isKnown(at: number): boolean {
    const from = Math.max(this.#from, this.#usual.forgottenUntil, this.#ahead.forgottenUntil);
    return at >= from && at < this.#from + KNOWN_MS;
  }
}

const digitsFrom = (at: number) => firstBitsOf(at).toString("hex");

/** The last ids that were added, in a list of filters. */
class NewestIds {
  /** All ids that were forgotten were made before then, epoch milliseconds. */
  forgottenUntil = 0;
  readonly #limits: Required<TimeOrderedIdsLimits>;
  readonly #pieces: Piece[] = [];

  constructor(limits: Required<TimeOrderedIdsLimits>) {
    this.#limits = limits;
  }

  add(id: IdHash, madeAt: number): void {
    let piece = this.#pieces.at(-1);
    if (piece === undefined || piece.filter.isFull) piece = this.#nextPiece(piece);
    piece.filter.add(id);
    piece.lastMadeAt = Math.max(piece.lastMadeAt, madeAt);
  }

  mayHold(id: IdHash): boolean {
    return this.#pieces.some(({ filter }) => filter.mayHold(id));
  }

  #nextPiece(last: Piece | undefined): Piece {
    const { least, most } = this.#limits;
    const room = last === undefined ? least : Math.min(most, 2 * last.filter.capacity);
    if (this.#pieces.length === FILTERS)
      this.forgottenUntil = Math.max(this.forgottenUntil, this.#pieces.shift()!.lastMadeAt + 1);
    const piece = { filter: new BloomFilter(room), lastMadeAt: 0 };
    this.#pieces.push(piece);
    return piece;
  }
}

interface Piece {
  readonly filter: BloomFilter;
  /** When the newest of its ids was made, epoch milliseconds. */
  lastMadeAt: number;
}
