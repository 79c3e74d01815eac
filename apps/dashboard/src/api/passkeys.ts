import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";
import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "./client.ts";
import type { Wire } from "./types.ts";

/** The caller's own passkeys. Only the local identity keeps some. */
export const passkeysQuery = () =>
  queryOptions({ queryKey: ["passkeys"], queryFn: () => unwrap(api.GET("/v1/passkeys")) });

/** Makes the browser create a passkey, and stores it. Throws when the person cancels. */
export async function addPasskey(name: string): Promise<Wire<"Passkey">> {
  const { options } = await unwrap(api.POST("/v1/passkeys/registration-options"));
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const answer = await explaining(() => startRegistration({ optionsJSON }));
  return unwrap(api.POST("/v1/passkeys", { body: { name, credential: { ...answer } } }));
}

/** Makes the person confirm with a passkey, which makes this session's sign-in recent. Throws when they cancel. */
export async function confirmWithPasskey(): Promise<void> {
  const { options } = await unwrap(api.POST("/v1/passkeys/confirmation-options"));
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const answer = await explaining(() => startAuthentication({ optionsJSON }));
  await unwrap(api.POST("/v1/passkeys/confirm", { body: { credential: { ...answer } } }));
}

/** Browsers reveal little on purpose, and every browser words it differently. */
async function explaining<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const isKnown = error instanceof Error && error.name === "InvalidStateError";
    throw new Error(
      isKnown
        ? "This device already has a passkey for your account."
        : "The browser returned no passkey: the request was canceled or timed out, or no passkey matches. Try again.",
      { cause: error },
    );
  }
}
