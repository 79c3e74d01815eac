/** What a look at an engine found. What stops the service is thrown instead, with a message of one line that says what to do. */
export interface EngineReport {
  /** What it is and how it is set up, in one line. */
  readonly found: string;
  /** What an operator had better change, each in one line that says how. */
  readonly advice: readonly string[];
}

/** The engine cannot be used as it is; the message says in one line what to do. */
export class EngineFault extends Error {
  override readonly name = "EngineFault";
}
