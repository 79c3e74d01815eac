/** A message of an input. Inputs have no system messages, because the arms of a rehearsal vary these. */
export interface DatasetMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** One input of a dataset: a conversation that ends with the message to answer. */
export interface DatasetItem {
  /** Unique in its dataset: the `event_id` of the call that it was drawn from, or the id that the uploaded file gives. */
  readonly id: string;
  readonly messages: readonly DatasetMessage[];
  /** An answer to compare with, for the judge; null if none is known. */
  readonly reference: string | null;
  /** The user who wrote the input, because inputs of one user are not independent. Null if unknown. */
  readonly userId: string | null;
  readonly occurredAt: number | null;
  /** Probability with which it was drawn, above 0 up to 1: it stands for 1 / probability calls. 1 for uploaded inputs. */
  readonly probability: number;
}

/** Maximum number of bytes of a dataset's texts, and of an uploaded file. */
export const MAX_DATASET_BYTES = 64 * 1024 ** 2;
/** Maximum number of inputs of a dataset. */
export const MAX_DATASET_ITEMS = 10_000;
/** Maximum number of characters of an input, and of its reference. */
export const MAX_ITEM_CHARACTERS = 100_000;
