/** A fault that the reader of the terminal can mend; its message says how. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
