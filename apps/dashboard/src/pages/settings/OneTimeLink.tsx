import type { Wire } from "../../api/types.ts";
import { ShownOnce } from "../../ui/ShownOnce.tsx";
import { Time } from "../../ui/Time.tsx";

interface LinkOnceProps {
  readonly invitation: Wire<"Invitation">;
  readonly onDone: () => void;
}

/** A one-time sign-in link to pass on. */
export function OneTimeLink({ invitation, onDone }: LinkOnceProps) {
  const { email, role, url, expires_at: expiresAt } = invitation;
  return (
    <ShownOnce name={`Sign-in link of ${email}, ${role}`} value={url} onDone={onDone} done="Done">
      <p>
        Assay sends no email. Send the link yourself over a private channel: the first person to open it is
        signed in as this member. It works once, until <Time at={expiresAt} />, and is not shown again.
      </p>
    </ShownOnce>
  );
}
