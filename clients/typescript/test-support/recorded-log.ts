import type { Log } from "../src/client-log.ts";

/** A log that records its lines with their levels. */
export class RecordedLog implements Log {
  readonly lines: string[] = [];

  warn(message: string): void {
    this.lines.push(`warn ${message}`);
  }

  error(message: string): void {
    this.lines.push(`error ${message}`);
  }
}
