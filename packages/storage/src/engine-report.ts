/** The findings of a probe of an engine. A fault that stops the service is thrown as a `StartupError` instead. */
export interface EngineReport {
  /** The engine and its setup, in one line. */
  readonly found: string;
  /** What an operator should change. Each line says how. */
  readonly advice: readonly string[];
}
