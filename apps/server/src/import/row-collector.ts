import { JSON_LIMITS, measureJson } from "@assay/domain";
import type { RowSink } from "./row-reader.ts";

const MAX_ROWS = 1_000;
const CHUNK_BYTES = 1024 * 1024;
/** The event loop parses a chunk in one go. */
const CHUNK_VALUES = 50_000;
/** More are counted but not listed (contract §6). */
export const MAX_LISTED_FAULTS = 1_000;

/** Rows that go into the queue as one batch: at most 1,000, and not much over 1 MiB or 50,000 values. */
export interface RowChunk {
  /** A JSON array. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** The line on which each row starts. */
  readonly lines: Uint32Array<ArrayBuffer>;
}

/** A row that could not be read. */
export interface RowFault {
  readonly line: number;
  readonly detail: string;
}

/** What was found in one piece of a file. */
export interface Reading {
  readonly chunks: readonly RowChunk[];
  /** Ascending by line. Faults after the first 1,000 of the file are left out. */
  readonly faults: readonly RowFault[];
  readonly faultCount: number;
  /** Unknown columns of the CSV header, in the reading that contains it; otherwise null. */
  readonly unknownColumns: readonly string[] | null;
}

/** Gathers what a reader finds until somebody takes it. */
export class RowCollector implements RowSink {
  readonly #encoder = new TextEncoder();
  #texts: string[] = [];
  #lines: number[] = [];
  #bytes = 0;
  #values = 0;
  #chunks: RowChunk[] = [];
  #faults: RowFault[] = [];
  #faultCount = 0;
  #listed = 0;
  #unknownColumns: readonly string[] | null = null;

  row(json: string, line: number): void {
    this.#texts.push(json);
    this.#lines.push(line);
    const bytes = Buffer.from(json);
    this.#bytes += bytes.length;
    this.#values += measureJson(bytes, JSON_LIMITS).values;
    const isFull = this.#bytes >= CHUNK_BYTES || this.#values >= CHUNK_VALUES;
    if (this.#texts.length === MAX_ROWS || isFull) this.#endChunk();
  }

  fault(line: number, detail: string): void {
    this.#faultCount += 1;
    if (this.#listed === MAX_LISTED_FAULTS) return;
    this.#listed += 1;
    this.#faults.push({ line, detail });
  }

  unknownColumns(names: readonly string[]): void {
    this.#unknownColumns = names;
  }

  /** Hands over everything gathered since the last time. */
  take(): Reading {
    if (this.#texts.length > 0) this.#endChunk();
    const reading = {
      chunks: this.#chunks,
      faults: this.#faults,
      faultCount: this.#faultCount,
      unknownColumns: this.#unknownColumns,
    };
    [this.#chunks, this.#faults, this.#faultCount, this.#unknownColumns] = [[], [], 0, null];
    return reading;
  }

  #endChunk(): void {
    const body = this.#encoder.encode(`[${this.#texts.join(",")}]`);
    this.#chunks.push({ body, lines: Uint32Array.from(this.#lines) });
    [this.#texts, this.#lines, this.#bytes, this.#values] = [[], [], 0, 0];
  }
}
