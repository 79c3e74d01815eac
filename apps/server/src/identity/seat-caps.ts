/** How a push of one org's seat cap ended. */
export interface SeatPush {
  readonly orgId: string;
  readonly seats: number | null;
  /** Null: the provider took it. */
  readonly fault: string | null;
}

/** Tells the identity provider how many members each org's plan allows. */
export interface SeatCaps {
  /** Whether there is a provider to tell: only where its API key is set. */
  readonly isPushed: boolean;
  /** Pushes the cap of one org after its plan changed. Never rejects: a failure is logged, and the next resync makes it good. */
  push(orgId: string): Promise<void>;
  /** Pushes the caps of all orgs; harmless to repeat. Empty where there is nobody to tell. */
  resync(): Promise<readonly SeatPush[]>;
}
