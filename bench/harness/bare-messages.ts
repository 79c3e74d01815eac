/** The bare server's answer to every request, copied from the service. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** In base64. */
  readonly body: string;
}

/** A message of the bare server to the bench. */
export type BareMessage = { readonly kind: "ready"; readonly port: number } | { readonly kind: "taken" };
