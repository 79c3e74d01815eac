import { accessSync, constants, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { fieldsOf } from "../fields.ts";
import type { KeptEvent, OfflineStore, Replay } from "../offline-store.ts";
import type { StoreSettings } from "../platform.ts";
import { isExpired } from "./is-expired.ts";
import { Journal } from "./journal.ts";
import { keyHashOf } from "./key-hash.ts";
import { isLeftJournal, ME, newOrigin } from "./process-name.ts";
import { parseSpillLine, toSpillLine } from "./spill-line.ts";
import { compareAge, parseSpillName, type SpillName } from "./spill-name.ts";

const MAX_BYTES = 10 * 1024 * 1024;
/** A claim or an unfinished file that was not touched for this long belongs to a dead process. */
const STALE_MS = 600_000;
const TOUCH_MS = 240_000;
/** A file may hold a whole queue, so reading it yields to the event loop. */
const LINES_PER_TURN = 200;

interface Claim {
  readonly name: string;
  /** The file name under which it is given back. */
  readonly spill: string;
  readonly events: readonly KeptEvent[];
  readonly touching: NodeJS.Timeout;
}

interface SpillFile {
  readonly text: string;
  readonly temporary: string;
  readonly path: string;
  /** How many events did not fit. */
  readonly lost: number;
}

/**
 * Keeps events in a folder that several processes may share. Each file is written once and never changed. A
 * process claims a file by renaming it, sends it and deletes it. So only one process sends each event, and a
 * process that dies loses none.
 */
export class FileStore implements OfflineStore {
  readonly #folder: string;
  readonly #settings: StoreSettings;
  readonly #keyHash: string;
  /** Null when the client is not durable. */
  readonly #journal: Journal | null;
  #claim: Claim | null = null;
  #released: Promise<void> = Promise.resolve();
  #taken: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  private constructor(folder: string, settings: StoreSettings) {
    this.#folder = folder;
    this.#settings = settings;
    this.#keyHash = keyHashOf(settings.apiKey);
    this.#journal = settings.durable ? new Journal((name) => this.#pathOf(name), this.#keyHash) : null;
  }

  /**
   * Opens the store in the option's folder and creates the folder if necessary. If that fails, logs an error and
   * returns null.
   */
  static open(settings: StoreSettings): FileStore | null {
    const { offlineStore: folder, log } = settings;
    if (folder === undefined || folder === false) return null;
    try {
      if (folder === true) throw new Error("in Node it must be a folder");
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
      return new FileStore(folder, settings);
    } catch (error) {
      log.sayOnce("error", `offlineStore is not used: ${fieldsOf(error).code ?? fieldsOf(error).message}`);
      return null;
    }
  }

  journal(event: KeptEvent): void {
    const failure = this.#journal?.append(event);
    if (failure) this.#settings.log.count(`event is not durable, ${failure}`);
  }

  async keep(events: readonly KeptEvent[]): Promise<number> {
    if (events.length === 0) return 0;
    try {
      const sizes = await Promise.all(
        (await this.#list()).filter(isWaiting).map((file) => this.#sizeOf(file)),
      );
      const file = this.#plan(events, sizes);
      if (file.lost < events.length) {
        await writeFile(file.temporary, file.text, { mode: 0o600 });
        await rename(file.temporary, file.path);
      }
      return file.lost;
    } catch (error) {
      this.#noteFailure(error);
      return events.length;
    } finally {
      this.#journal?.settle(events);
    }
  }

  keepNow(events: readonly KeptEvent[]): number {
    const filed = new Set(this.#claim?.events);
    for (const event of this.#journal?.giveBack() ?? []) filed.add(event);
    const unfiled = events.filter((event) => !filed.has(event));
    try {
      if (this.#claim !== null) renameSync(this.#pathOf(this.#claim.name), this.#pathOf(this.#claim.spill));
      this.#claim = null;
      if (unfiled.length === 0) return 0;
      const waiting = this.#parse(readdirSync(this.#folder)).filter(isWaiting);
      const sizes = waiting.map(
        ({ name }) => statSync(this.#pathOf(name), { throwIfNoEntry: false })?.size ?? 0,
      );
      const file = this.#plan(unfiled, sizes);
      if (file.lost < unfiled.length) {
        writeFileSync(file.temporary, file.text, { mode: 0o600 });
        renameSync(file.temporary, file.path);
      }
      return file.lost;
    } catch (error) {
      this.#noteFailure(error);
      return unfiled.length;
    }
  }

  /** Spill files never change. The delivered events of a replay are deleted with their file. */
  async forget(events: readonly KeptEvent[]): Promise<void> {
    this.#journal?.settle(events);
  }

  takeReplay(): Promise<Replay | null> {
    const taking = this.#takeOldest();
    this.#taken = taking;
    return taking;
  }

  /** Gives back a claim that has unsettled events, including a claim in progress. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#taken;
    await this.#giveBack();
    this.#journal?.giveBack();
  }

  async #giveBack(): Promise<void> {
    const claim = this.#letGo();
    if (claim) await rename(this.#pathOf(claim.name), this.#pathOf(claim.spill)).catch(() => {});
    await this.#released;
  }

  async #takeOldest(): Promise<Replay | null> {
    try {
      for (const file of (await this.#list()).sort(compareAge)) {
        const events = (await this.#isFree(file)) ? await this.#take(file) : [];
        if (events.length > 0) return { events, release: () => this.#release() };
      }
    } catch (error) {
      this.#noteFailure(error);
    }
    return null;
  }

  /** Claims a file and reads the events that can be sent. Deletes an empty file. */
  async #take(file: SpillName): Promise<readonly KeptEvent[]> {
    const name = `claim-${this.#keyHash}-${ME}-${file.origin}.ndjson`;
    const path = this.#pathOf(name);
    // Must happen before the rename. Otherwise the claim would look stale.
    const isMine = await this.#touch(file.name)
      .then(() => rename(this.#pathOf(file.name), path))
      .then(
        () => true,
        () => false,
      );
    if (!isMine) return [];
    const events = await this.#readable(await readFile(path, "utf8"));
    const touching = setInterval(() => this.#touch(name).catch(() => {}), TOUCH_MS);
    touching.unref();
    this.#claim = { name, spill: `spill-${this.#keyHash}-${file.origin}.ndjson`, events, touching };
    if (events.length === 0) await this.#release();
    else if (this.#isClosed) await this.#giveBack();
    return this.#isClosed ? [] : events;
  }

  async #readable(text: string): Promise<readonly KeptEvent[]> {
    const { now, log } = this.#settings;
    const events: KeptEvent[] = [];
    let unreadable = 0;
    let expired = 0;
    for (const [i, line] of text.split("\n").entries()) {
      if (i % LINES_PER_TURN === LINES_PER_TURN - 1) await setImmediate();
      const event = line === "" ? null : parseSpillLine(line);
      if (event === null) unreadable += line === "" ? 0 : 1;
      else if (isExpired(event, now())) expired++;
      else events.push(event);
    }
    log.count("unreadable line in an event file", unreadable);
    log.count("event given up, over 24 h old", expired);
    return events;
  }

  /** Chooses the events that fit into the folder, oldest first. */
  #plan(events: readonly KeptEvent[], sizes: readonly number[]): SpillFile {
    let room = MAX_BYTES - sizes.reduce((sum, size) => sum + size, 0);
    const lines: string[] = [];
    for (const event of events) {
      const line = toSpillLine(event);
      room -= Buffer.byteLength(line);
      if (room < 0) break;
      lines.push(line);
    }
    const path = this.#pathOf(`spill-${this.#keyHash}-${newOrigin()}.ndjson`);
    return { text: lines.join(""), temporary: `${path}.tmp`, path, lost: events.length - lines.length };
  }

  async #list(): Promise<SpillName[]> {
    return this.#parse(await readdir(this.#folder));
  }

  #parse(names: readonly string[]): SpillName[] {
    return names.map((name) => parseSpillName(name, this.#keyHash)).filter((name) => name !== null);
  }

  /** Returns whether this process may claim the file; false if the file is gone. */
  async #isFree(file: SpillName): Promise<boolean> {
    const { name, claimant, isWhole } = file;
    if ((claimant === null && isWhole) || isLeftJournal(file)) return true;
    if (claimant === ME) return false;
    const { mtimeMs } = await stat(this.#pathOf(name)).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    return Date.now() - mtimeMs > STALE_MS;
  }

  async #sizeOf({ name }: SpillName): Promise<number> {
    return stat(this.#pathOf(name)).then(
      ({ size }) => size,
      () => 0,
    );
  }

  #release(): Promise<void> {
    const claim = this.#letGo();
    if (claim === null) return this.#released;
    this.#released = rm(this.#pathOf(claim.name), { force: true }).catch((error) => this.#noteFailure(error));
    return this.#released;
  }

  #letGo(): Claim | null {
    const claim = this.#claim;
    this.#claim = null;
    clearInterval(claim?.touching);
    return claim;
  }

  #touch(name: string): Promise<void> {
    const now = new Date();
    return utimes(this.#pathOf(name), now, now);
  }

  #pathOf(name: string): string {
    return join(this.#folder, name);
  }

  #noteFailure(error: unknown): void {
    this.#settings.log.count(`offlineStore fails, ${fieldsOf(error).code}`);
  }
}

/** The files that count toward the limit. Claimed files do not, because they will soon be deleted. */
function isWaiting({ claimant }: SpillName): boolean {
  return claimant === null;
}
