/** What a probe of an engine found; a fault that stops the service is thrown as a `StartupError` instead. */
export interface EngineReport {
  /** What it is and how it is set up, in one line. */
  readonly found: string;
  /** What an operator should change, each in one line that says how. */
  readonly advice: readonly string[];
}
