import { queryOptions } from "@tanstack/react-query";
import { connectionLost, toProblem } from "./problem.ts";

/** Where members are managed: here (`local`) or at an identity provider. */
export interface Identity {
  readonly kind: "local" | "clerk" | "oidc";
  readonly issuer: string | null;
  /** Where this installation starts a sign-in at the provider. Null where people sign in another way. */
  readonly sign_in: string | null;
  /** Who names the roles of a provider's people. */
  readonly roles?: "provider" | "here";
}

/** Who signs sessions. The route is outside /v1, so no type describes it. */
export const identityQuery = () =>
  queryOptions({ queryKey: ["identity"], queryFn: loadIdentity, staleTime: Number.POSITIVE_INFINITY });

async function loadIdentity(): Promise<Identity> {
  const response = await fetch("/auth/identity").catch(() => {
    throw connectionLost();
  });
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw toProblem(response, body);
  return body as Identity;
}
