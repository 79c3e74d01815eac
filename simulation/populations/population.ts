import type { DrawUser } from "./design.ts";

/** Users of one kind. */
export interface Population<U> {
  readonly name: string;
  readonly user: DrawUser<U>;
}
