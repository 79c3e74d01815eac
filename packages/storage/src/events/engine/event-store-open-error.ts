/** The event store cannot be opened as it is set up; the message says in one line what to do. */
export class EventStoreOpenError extends Error {
  override readonly name = "EventStoreOpenError";
}
