import type { Wire } from "../../api/types.ts";
import { Notice } from "../../ui/Notice.tsx";
import { ShownOnce } from "../../ui/ShownOnce.tsx";
import { Time } from "../../ui/Time.tsx";

interface LinkOnceProps {
  readonly invitation: Wire<"Invitation">;
  readonly onDone: () => void;
}

/** A one-time sign-in link to pass on. */
export function OneTimeLink({ invitation, onDone }: LinkOnceProps) {
  const { email, role, url, expires_at: expiresAt } = invitation;
  if (!url.includes("#ticket="))
    return (
      <Notice tone="good" role="status">
        <p>
          {email} can sign in again until <Time at={expiresAt} />.
        </p>
      </Notice>
    );
  return (
    <ShownOnce name={`Sign-in link of ${email}, ${role}`} value={url} onDone={onDone} done="Done">
      <p>
        Assay sends no email. Send the link yourself over a private channel: the first person to open it is
        signed in as this member. It works once, until <Time at={expiresAt} />, and is not shown again.
      </p>
    </ShownOnce>
  );
}
