/** Asks the child to open the folder and listen. Sent by IPC, so that the password is in no argument list. */
export interface StartMessage {
  readonly kind: "start";
  readonly dataDir: string;
  /** 0 means any free port; a restart requests the previous child's port. */
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

/** A message from the supervisor to the child. */
export type ChildCommand = StartMessage | { readonly kind: "stop" };

/** The child's message once the folder is open and the front listens. */
export interface ReadyMessage {
  readonly kind: "ready";
  readonly port: number;
}
