import type { ControlPlane } from "@assay/domain";

/** The engine under test: two control planes on one database, like two processes, and its raw SQL. */
export interface Engine {
  readonly planes: readonly [ControlPlane, ControlPlane];
  readonly execute: (sql: string) => Promise<void>;
}
