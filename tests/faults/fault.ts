import type { Scene } from "./scene.ts";
import type { Habit, Row } from "./traffic.ts";

/** An instrumentation fault: what goes wrong, how it shows, and its one repair (docs/attribution.md). */
export interface Fault {
  readonly name: string;
  /** What the users do, and so what is true. */
  readonly habit: Habit;
  /** How the experiment differs from one of two equal arms. */
  readonly experiment?: Row;
  /** What happens at noon of the day that is analyzed. The rest comes in the night after it. */
  readonly noon?: (scene: Scene) => Promise<void>;
  readonly happens: (scene: Scene) => Promise<void>;
  /** How it shows before the repair. */
  readonly shows: Sign;
  /** The experiment's state before the repair; absent when the state is right despite the fault. */
  readonly state?: string;
  /** Absent: the service sets the fault aside by itself. */
  readonly repair?: (scene: Scene) => Promise<void>;
  /** Users come on other days than in the sound experiment, from whose traffic the always-valid p-value is tuned. */
  readonly comesOnOtherDays?: true;
  /** What is decided after the repair: the same digits as without the fault (default), or the verdict alone. */
  readonly after?: "same digits" | "same verdict";
}

export type Sign = Refusals | FoundFault;

/** Refused rows, or parts of a refused change, each with a sentence. */
export interface Refusals {
  readonly refused: RegExp;
  readonly times: number;
}

/** A finding of the data's health or of the run. */
export interface FoundFault {
  readonly code: string;
  readonly severity: string;
  readonly says: RegExp;
}
