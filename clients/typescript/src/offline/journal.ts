import { closeSync, openSync, renameSync, unlinkSync, utimesSync, writeSync } from "node:fs";
import { fieldsOf } from "../fields.ts";
import type { KeptEvent } from "../offline-store.ts";
import { ME, newJournalOrigin } from "./process-name.ts";
import { toSpillLine } from "./spill-line.ts";

const MAX_FILE_EVENTS = 1_000;
/** Well below the 10 minutes after which another process considers a file abandoned. */
const TOUCH_MS = 240_000;

interface JournalFile {
  readonly path: string;
  /** The path at which any process may send it. */
  readonly spill: string;
  readonly descriptor: number;
  /** Events that are not settled. */
  readonly events: Set<KeptEvent>;
  written: number;
}

/**
 * A durable client's queue on disk: each event is written as a line of a file before it can be sent. The lines are not
 * synced, so they survive the process but not a power cut. A file is removed once all of its events are settled. The
 * files look like claims of this process, so other processes leave them alone while it lives. Never throws.
 */
export class Journal {
  readonly #pathOf: (name: string) => string;
  readonly #keyHash: string;
  readonly #touching = setInterval(() => this.#touch(), TOUCH_MS).unref();
  #files: JournalFile[] = [];
  /** The file for the next event; null to start a new one. */
  #current: JournalFile | null = null;

  /** `pathOf` returns the path of a file with the given name. */
  constructor(pathOf: (name: string) => string, keyHash: string) {
    this.#pathOf = pathOf;
    this.#keyHash = keyHash;
  }

  /** Writes an event. Returns the reason for a failure, or null. */
  append(event: KeptEvent): string | null {
    try {
      this.#current ??= this.#open();
      const file = this.#current;
      const line = Buffer.from(toSpillLine(event));
      // The next line must not continue an unfinished one, so it goes into a new file.
      this.#current = null;
      const size = writeSync(file.descriptor, line);
      file.events.add(event);
      if (size < line.length) return "ENOSPC";
      if (++file.written < MAX_FILE_EVENTS) this.#current = file;
      return null;
    } catch (error) {
      return `${fieldsOf(error).code}`;
    }
  }

  /** Removes the files whose events are all settled. */
  settle(events: readonly KeptEvent[]): void {
    for (const file of this.#files) for (const event of events) file.events.delete(event);
    this.#end(
      ({ events }) => events.size === 0,
      ({ path }) => unlinkSync(path),
    );
  }

  /** Ends the journal: makes its unsettled events available to any process, and returns them. */
  giveBack(): readonly KeptEvent[] {
    clearInterval(this.#touching);
    const events = this.#files.flatMap((file) => [...file.events]);
    this.#end(
      () => true,
      ({ path, spill }) => renameSync(path, spill),
    );
    return events;
  }

  /** Shows other processes that the files are in use. */
  #touch(): void {
    for (const file of this.#files) {
      try {
        utimesSync(file.path, new Date(), new Date());
      } catch {
        // Another process took it, because this one was paused for too long.
        if (file === this.#current) this.#current = null;
      }
    }
  }

  /** Closes the chosen files, and removes or renames them. */
  #end(isChosen: (file: JournalFile) => boolean, release: (file: JournalFile) => void): void {
    const ending = this.#files.filter(isChosen);
    this.#files = this.#files.filter((file) => !ending.includes(file));
    for (const file of ending) {
      if (file === this.#current) this.#current = null;
      try {
        closeSync(file.descriptor);
        release(file);
      } catch {
        // Its events may be sent twice, which the service counts once.
      }
    }
  }

  #open(): JournalFile {
    const origin = newJournalOrigin();
    const path = this.#pathOf(`claim-${this.#keyHash}-${ME}-${origin}.ndjson`);
    const file: JournalFile = {
      path,
      spill: this.#pathOf(`spill-${this.#keyHash}-${origin}.ndjson`),
      descriptor: openSync(path, "ax", 0o600),
      events: new Set(),
      written: 0,
    };
    this.#files.push(file);
    return file;
  }
}
