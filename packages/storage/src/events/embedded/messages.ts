/** Tells the child to open the folder and to listen; by IPC, so that no argument list has the password. */
export interface StartMessage {
  readonly kind: "start";
  readonly dataDir: string;
  /** 0 asks for any free port; a restart asks for the one its predecessor had. */
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

/** What the supervisor sends to the child. */
export type ChildCommand = StartMessage | { readonly kind: "stop" };

/** What the child sends once the folder is open and the front listens. */
export interface ReadyMessage {
  readonly kind: "ready";
  readonly port: number;
}
