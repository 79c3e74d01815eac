/**
 * The program cannot start or run with its current setup. The message is one line that says what to
 * do.
 */
export class StartupError extends Error {
  override readonly name: string = "StartupError";
}
