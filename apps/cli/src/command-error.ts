/** An error that the user of the terminal can fix; its message says how. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  /** The exit code of the program. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
