import type { Acceptance } from "../ingest/accept-batch.ts";
import { MAX_LISTED_FAULTS, type Reading, type RowChunk, type RowFault } from "./row-collector.ts";

interface LineError extends RowFault {
  readonly event_id?: string;
}

/** Counts what became of the rows so far. */
export class ImportTally {
  #events = 0;
  #errorCount = 0;
  #unknownColumns: readonly string[] = [];
  readonly #errors: LineError[] = [];
  /** Errors of the reading at hand, in any order. */
  #fresh: LineError[] = [];
  #lastLine = 0;

  get events(): number {
    return this.#events;
  }

  /** Line of the last row that was accepted or refused; 0 before the first. */
  get lastLine(): number {
    return this.#lastLine;
  }

  addChunk({ lines }: RowChunk, { accepted, refused }: Pick<Acceptance, "accepted" | "refused">): void {
    this.#events += accepted;
    this.#errorCount += refused.length;
    this.#lastLine = lines.at(-1) ?? this.#lastLine;
    for (const { index, event_id, detail } of refused.slice(0, MAX_LISTED_FAULTS - this.#errors.length)) {
      this.#fresh.push({ line: lines[index] ?? 0, ...(event_id === null ? {} : { event_id }), detail });
    }
  }

  /** Adds what the reader found in a reading whose chunks were already added. Its rows all precede those of the next. */
  endReading({ faults, faultCount, unknownColumns }: Reading): void {
    this.#errorCount += faultCount;
    this.#unknownColumns = unknownColumns ?? this.#unknownColumns;
    const sorted = [...this.#fresh, ...faults].sort((a, b) => a.line - b.line);
    this.#errors.push(...sorted.slice(0, MAX_LISTED_FAULTS - this.#errors.length));
    this.#fresh = [];
  }

  /** The answer's body. */
  result(isDryRun: boolean) {
    return {
      events: this.#events,
      errors: this.#errors,
      error_count: this.#errorCount,
      rows: this.#events + this.#errorCount,
      dry_run: isDryRun,
      ...(this.#unknownColumns.length > 0 ? { unknown_columns: this.#unknownColumns } : {}),
    };
  }
}
