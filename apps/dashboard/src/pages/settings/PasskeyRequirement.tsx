import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { identityQuery } from "../../api/identity.ts";
import { isAdmin, useMe } from "../../shell/use-me.ts";
import { announce } from "../../ui/announce.ts";
import { ConfirmButton } from "../../ui/ConfirmButton.tsx";
import { Loaded } from "../../ui/Loaded.tsx";
import { Panel } from "../../ui/Page.tsx";

const requirementQuery = () =>
  queryOptions({
    queryKey: ["passkey-requirement"],
    queryFn: () => unwrap(api.GET("/v1/passkey-requirement")),
  });

/** Whether the organization requires passkeys, and who has none. Shows nothing where a provider signs people in. */
export function PasskeyRequirement() {
  const me = useMe();
  const identity = useQuery(identityQuery());
  const isShown = identity.data?.kind === "local" && isAdmin(me);
  const requirement = useQuery({ ...requirementQuery(), enabled: isShown });
  if (!isShown) return null;
  return (
    <Panel title="Passkeys">
      <Loaded query={requirement} lines={2}>
        {({ required, members_without: lacking }) => (
          <>
            <p>
              {required
                ? "Everybody in this organization needs a passkey in addition to their sign-in link."
                : "A sign-in link is enough to sign in. You can require a passkey as well."}
            </p>
            <p className="muted">
              {lacking.length === 0
                ? "All members have a passkey."
                : `Without a passkey: ${lacking.map(({ email }) => email).join(", ")}.`}
            </p>
            <Change required={required} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function Change({ required }: { readonly required: boolean }) {
  const cache = useQueryClient();
  return (
    <ConfirmButton
      label={required ? "Stop requiring passkeys…" : "Require passkeys…"}
      title={required ? "Stop requiring passkeys?" : "Require passkeys for everybody?"}
      verb={required ? "Stop requiring them" : "Require them"}
      verbLook={required ? "danger" : "primary"}
      run={() => unwrap(api.PUT("/v1/passkey-requirement", { body: { required: !required } }))}
      onDone={async () => {
        announce(required ? "Passkeys are no longer required." : "Passkeys are required.");
        await cache.invalidateQueries(requirementQuery());
      }}
    >
      <p>
        {required
          ? "A sign-in link alone will sign people in again."
          : "This applies immediately: people must use their passkey, or add their first one, before they can continue."}
      </p>
    </ConfirmButton>
  );
}
