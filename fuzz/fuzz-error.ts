/** A run that could not begin, in words for the one who started it. */
export class FuzzError extends Error {
  override readonly name = "FuzzError";
}
