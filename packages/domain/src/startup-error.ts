/** The program cannot start or run as it is set up; the message is one line that says what to do. */
export class StartupError extends Error {
  override readonly name: string = "StartupError";
}
