/** The control plane cannot be opened as it is set up; the message says in one line what to do. */
export class ControlPlaneOpenError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ControlPlaneOpenError";
  }
}
