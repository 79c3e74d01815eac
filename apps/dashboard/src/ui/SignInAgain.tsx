import { useMutation, useQuery } from "@tanstack/react-query";
import { identityQuery } from "../api/identity.ts";
import { confirmWithPasskey, passkeysQuery } from "../api/passkeys.ts";
import { announce } from "./announce.ts";
import { Button } from "./Button.tsx";

/** How to get the recent sign-in that a refused action needs. */
export function SignInAgain() {
  const { data } = useQuery(identityQuery());
  if (data === undefined) return null;
  if (data.kind === "local") return <ConfirmAgain />;
  if (data.sign_in === null) return null;
  const returnTo = encodeURIComponent(location.pathname + location.search);
  return (
    <p>
      <a className="button" href={`${data.sign_in}?fresh=true&return_to=${returnTo}`}>
        Sign in again
      </a>{" "}
      This leaves the page, then brings you back to it.
    </p>
  );
}

function ConfirmAgain() {
  const passkeys = useQuery(passkeysQuery());
  const confirmation = useMutation({
    mutationFn: confirmWithPasskey,
    onSuccess: () => announce("Confirmed. Now try the action again."),
  });
  if (confirmation.isSuccess) return <p>Confirmed. Now try the action again.</p>;
  return (
    <>
      {passkeys.data?.items.length ? (
        <p>
          <Button onPress={() => confirmation.mutate()} isPending={confirmation.isPending}>
            Confirm with your passkey
          </Button>
        </p>
      ) : null}
      {confirmation.error ? <p>{confirmation.error.message}</p> : null}
      <p>
        You can sign in again with a new link. An admin creates one under Settings; if you run Assay yourself,
        a restart prints one. Open it in this browser, then try again here.
      </p>
    </>
  );
}
