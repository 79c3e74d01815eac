import { useQuery } from "@tanstack/react-query";
import { identityQuery } from "../api/identity.ts";

/** How to get the recent sign-in that a refused action needs. */
export function SignInAgain() {
  const { data } = useQuery(identityQuery());
  if (data === undefined) return null;
  if (data.sign_in !== null) {
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
  if (data.issuer !== null) return null;
  return (
    <p>
      An admin creates a sign-in link for you under Settings, Members. If you run Assay yourself, restart it:
      it prints a new link. Open the link in this browser, then try again here.
    </p>
  );
}
