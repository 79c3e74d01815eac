/** Why a run could not start; the message is for the user. */
export class FuzzError extends Error {
  override readonly name = "FuzzError";
}
