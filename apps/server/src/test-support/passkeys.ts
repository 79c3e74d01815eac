import type { TestAuthenticator } from "./authenticator.ts";
import type { Answer, TestService } from "./test-service.ts";

/** Where people reach the service in these tests: browsers use passkeys only at a host name. */
export const ORIGIN = "https://assay.example.org";
export const RP_ID = "assay.example.org";

interface WireOptions {
  readonly options: { readonly challenge: string };
}

/** Requests the challenge of a registration or a confirmation, in the token's session. */
export async function challengeOf(
  api: TestService,
  token: string,
  purpose: "registration" | "confirmation",
): Promise<string> {
  const { body } = await api.call<WireOptions>("POST", `/v1/passkeys/${purpose}-options`, { token });
  return body.options.challenge;
}

/** Adds the authenticator's passkey to the person of the token. */
export async function addPasskey<T>(
  api: TestService,
  token: string,
  authenticator: TestAuthenticator,
  name = "Laptop",
): Promise<Answer<T>> {
  const challenge = await challengeOf(api, token, "registration");
  const credential = authenticator.create({ challenge, origin: ORIGIN, rpId: RP_ID });
  return api.call<T>("POST", "/v1/passkeys", { token, body: { name, credential } });
}

/** Confirms with the authenticator's passkey that the session's person is there. */
export async function confirm<T>(
  api: TestService,
  token: string,
  authenticator: TestAuthenticator,
): Promise<Answer<T>> {
  const challenge = await challengeOf(api, token, "confirmation");
  const credential = authenticator.get({ challenge, origin: ORIGIN, rpId: RP_ID });
  return api.call<T>("POST", "/v1/passkeys/confirm", { token, body: { credential } });
}
