/** The largest size of a row as sent. The longest prompt and response together take half of it. */
export const MAX_ROW_BYTES = 1024 * 1024;

/** The error for a row that cannot be read as text. Guessing the meaning of the bytes would silently change ids and names. */
export const NOT_UTF8 = "The row has bytes that are not UTF-8: save the file as UTF-8.";

/** Receives what a reader finds, ascending by line. Lines are 1-based: the line on which the row starts. */
export interface RowSink {
  row(json: string, line: number): void;
  fault(line: number, detail: string): void;
}

/** Reads the bytes of a file in pieces of any size. Every row is either passed to the sink or reported. */
export interface RowReader {
  push(bytes: Buffer): void;
  end(): void;
}

/** The file as a whole is unreadable: no row of it was read. The message tells the sender why. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile";
}

/** Appends without a copy when there is nothing to append to. */
export function joinBytes(head: Buffer, tail: Buffer): Buffer {
  return head.length === 0 ? tail : Buffer.concat([head, tail]);
}
