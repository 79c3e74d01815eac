import { CommandError } from "./command-error.ts";
import { serviceApi } from "./service-api.ts";

/** Finds a secret key: `ASSAY_API_KEY`, or the one of the local owner's org. Throws a `CommandError` that says how to make one. */
export async function findSecretKey(): Promise<string> {
  const given = process.env.ASSAY_API_KEY ?? "";
  if (given.startsWith("svc_sk_")) return given;
  const api = await serviceApi();
  const keys = await api.call<{ scope: string; revealable: boolean }[]>("GET", "/v1/keys");
  if (!keys.some(({ scope, revealable }) => scope === "secret" && revealable))
    throw new CommandError(
      'An import needs a secret key and the org has none that can be revealed: make one in the dashboard or with POST /v1/keys {"scope": "secret"}, or set ASSAY_API_KEY.',
    );
  return (await api.call<{ key: string }>("GET", "/v1/keys/secret/reveal")).key;
}
