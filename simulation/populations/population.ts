import type { DrawUser } from "./design.ts";

/** A population of users of one kind. */
export interface Population<U> {
  readonly name: string;
  readonly user: DrawUser<U>;
}
