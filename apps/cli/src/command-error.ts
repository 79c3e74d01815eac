/** An error that the user of the terminal can fix; its message says how. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}
