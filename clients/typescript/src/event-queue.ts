export const MAX_BATCH_EVENTS = 100;
const MAX_BATCH_BYTES = 256 * 1024;
const MAX_EVENTS = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** Prompt and response may be 256 KiB each before JSON escapes them. */
const MAX_EVENT_BYTES = 1024 * 1024;

interface Entry {
  readonly row: string;
  readonly bytes: number;
}

/**
 * Holds serialised events, oldest first, until they are settled: delivered or given up. Bounded; a full queue
 * refuses the newest.
 */
export class EventQueue {
  #entries: Entry[] = [];
  /** Index of the oldest entry: taking from the front of an array one by one is slow. */
  #head = 0;
  #bytes = 0;
  #enqueued = 0;
  readonly #encoder = new TextEncoder();

  /** Adds a row, or returns why it was refused. */
  add(row: string): "added" | "too-large" | "full" {
    const bytes = this.#encoder.encode(row).length;
    if (bytes > MAX_EVENT_BYTES) return "too-large";
    if (this.size >= MAX_EVENTS || this.#bytes + bytes > MAX_BYTES) return "full";
    this.#entries.push({ row, bytes });
    this.#bytes += bytes;
    this.#enqueued++;
    return "added";
  }

  get size(): number {
    return this.#entries.length - this.#head;
  }

  /** How many events were ever added, and how many of those are settled. */
  get enqueued(): number {
    return this.#enqueued;
  }
  get settled(): number {
    return this.#enqueued - this.size;
  }

  /** Tells whether the waiting events fill a batch. */
  get fillsBatch(): boolean {
    return this.size >= MAX_BATCH_EVENTS || this.#bytes >= MAX_BATCH_BYTES;
  }

  /** Returns the oldest rows, at least one if there is any, up to `maxEvents` and 256 KiB; they stay until settled. */
  peek(maxEvents: number): readonly string[] {
    const rows: string[] = [];
    let bytes = 0;
    for (let i = this.#head; i < this.#entries.length && rows.length < maxEvents; i++) {
      const entry = this.#entries[i]!;
      bytes += entry.bytes;
      if (rows.length > 0 && bytes > MAX_BATCH_BYTES) break;
      rows.push(entry.row);
    }
    return rows;
  }

  /** Removes the oldest `count` events. */
  settle(count: number): void {
    const until = Math.min(this.#head + count, this.#entries.length);
    for (let i = this.#head; i < until; i++) this.#bytes -= this.#entries[i]!.bytes;
    this.#head = until;
    if (this.#head * 2 < this.#entries.length) return;
    this.#entries = this.#entries.slice(this.#head);
    this.#head = 0;
  }
}
