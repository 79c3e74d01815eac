import { DAY_MS } from "@assay/domain";
import type { EngineClient } from "../engine/engine-client.ts";
import { firstBitsOf, ID_BYTES, isTimeOrderedSql, madeAt } from "../sql/id-bits.ts";
import { BloomFilter, hashOfId, type IdHash } from "./bloom-filter.ts";

/** Capacity of the first filter of a list. Each further one has twice the capacity of the previous one. */
const LEAST_IDS = 65_536;
/** Takes 5 MiB. At 40,000 events a second, such a filter is full after 50 seconds. */
const MOST_IDS = 2_097_152;
const FILTERS = 4;
/** Ids from clocks that are ahead by more are kept separately: forgetting one makes all ids unknown until its time has come. */
const AHEAD_MS = 60_000;
/** Ids made later than this after the start are not tracked. Ids of all times would include all random ones. */
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
 * Rules out time-ordered ids (UUIDv7) that cannot be stored yet, in the only process that stores events: ids that were made since it
 * started and were not added here. With many ids it forgets the oldest, and then knows nothing about ids made up to the last of them.
 *
 * Its answers are correct with any clock. With a wrong clock, it only rules out fewer ids.
 */
export class TimeOrderedIds {
  readonly #from: number;
  readonly #limits: Required<TimeOrderedIdsLimits>;
  readonly #usual: NewestIds;
  readonly #ahead: NewestIds;
  #isLoaded = false;

  /** The caller must add all ids that are stored from now on, and call `load`. */
  constructor(limits: TimeOrderedIdsLimits = {}) {
    this.#from = Date.now();
    this.#limits = { least: LEAST_IDS, most: MOST_IDS, mostLoaded: MOST_LOADED, ...limits };
    this.#usual = new NewestIds(this.#limits);
    this.#ahead = new NewestIds(this.#limits);
  }

  /** Adds an id, given its bits. */
  add(bits: Buffer, offset = 0): void {
    const at = madeAt(bits, offset);
    if (!this.#isKnown(at)) return;
    const ids = at > Date.now() + AHEAD_MS ? this.#ahead : this.#usual;
    ids.add(hashOfId(bits, offset), at);
  }

  /** Returns whether an id may be stored, given its bits. */
  mayHold(bits: Buffer): boolean {
    if (!this.#isLoaded || !this.#isKnown(madeAt(bits))) return true;
    const hash = hashOfId(bits);
    return this.#usual.mayHold(hash) || this.#ahead.mayHold(hash);
  }

  /** Loads stored ids from clocks that were ahead: hardly any. If there are too many, it rules out nothing until the next start. */
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
  /** All forgotten ids were made before this time, epoch milliseconds. */
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
