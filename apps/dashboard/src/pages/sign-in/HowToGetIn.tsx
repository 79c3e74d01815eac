import { useQuery } from "@tanstack/react-query";
import { identityQuery } from "../../api/identity.ts";
import { ProblemNotice } from "../../ui/Notice.tsx";
import { Skeleton } from "../../ui/Page.tsx";

/** How a session is to be had: by a one-time link of this installation, or from whoever signs sessions for it. */
export function HowToGetIn() {
  const { data, error, refetch } = useQuery(identityQuery());
  if (error) return <ProblemNotice problem={error} onRetry={() => refetch()} />;
  if (data === undefined) return <Skeleton lines={3} />;
  return data.issuer === null ? <ByLink /> : <Elsewhere issuer={data.issuer} />;
}

function ByLink() {
  return (
    <>
      <h2>How to get in</h2>
      <dl className="sign-in-ways">
        <dt>You run Assay yourself</dt>
        <dd>
          <code>npm start</code> prints this dashboard’s address with a ticket. It signs you in once, within
          an hour; a restart prints a new one.
        </dd>
        <dt>Somebody else runs it</dt>
        <dd>Ask an admin for an invitation link. It signs you in once, within seven days.</dd>
      </dl>
    </>
  );
}

function Elsewhere({ issuer }: { readonly issuer: string }) {
  const isAddress = /^https?:\/\//.test(issuer);
  return (
    <>
      <h2>How to get in</h2>
      <p>
        This installation takes sessions of{" "}
        {isAddress ? <a href={issuer}>{issuer}</a> : <code>{issuer}</code>}: sign in there, then open the
        experiments here.
      </p>
    </>
  );
}
