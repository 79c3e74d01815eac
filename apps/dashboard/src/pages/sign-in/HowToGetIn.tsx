import { useQuery } from "@tanstack/react-query";
import { identityQuery } from "../../api/identity.ts";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Skeleton } from "../../ui/Page.tsx";

/** How to get a session: by a one-time link, or from the identity provider. */
export function HowToGetIn() {
  const { data, error, refetch } = useQuery(identityQuery());
  if (error) return <ProblemNotice problem={error} onRetry={() => refetch()} />;
  if (data === undefined) return <Skeleton lines={3} />;
  return data.issuer === null ? <ByLink /> : <Elsewhere issuer={data.issuer} />;
}

function ByLink() {
  return (
    <>
      <h2>How to sign in</h2>
      <dl className="sign-in-ways">
        <dt>You run Assay yourself</dt>
        <dd>
          <code>npm start</code> prints this dashboard's URL with a ticket. It signs you in once, within an
          hour. A restart prints a new one.
        </dd>
        <dt>Someone else runs it</dt>
        <dd>Ask an admin for an invitation link. It signs you in once, within seven days.</dd>
      </dl>
    </>
  );
}

function Elsewhere({ issuer }: { readonly issuer: string }) {
  const isAddress = /^https?:\/\//.test(issuer);
  return (
    <>
      <h2>How to sign in</h2>
      <p>
        This installation uses sessions from{" "}
        {isAddress ? <a href={issuer}>{issuer}</a> : <code>{issuer}</code>}. Sign in there, then return here.
      </p>
    </>
  );
}
