import "./sign-in.css";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { identityQuery } from "../../api/identity.ts";
import { Problem } from "../../api/problem.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { Notice, ProblemNotice } from "../../ui/Notice.tsx";
import { Skeleton, useTitle } from "../../ui/Page.tsx";
import { useSignIn } from "./use-sign-in.ts";

/** The page of one-time links, and for people without a session. */
export default function SignInPage() {
  const { hasTicket, isPending, isSignedIn, error, retry } = useSignIn();
  if (isSignedIn) return <SignedIn />;
  if (hasTicket || isPending)
    return (
      <Entrance title="Signing you in…">
        <Skeleton lines={2} />
      </Entrance>
    );
  if (error) return <SignInFailed error={error} onRetry={retry} />;
  return (
    <Entrance title="You are not signed in">
      <p>Your session is missing or has ended.</p>
      <HowToSignIn />
      <AlreadySignedIn />
    </Entrance>
  );
}

function SignedIn() {
  return (
    <Entrance title="You are signed in">
      <Notice tone="good" role="status">
        <p>You can return to the other tab. It continues where you left off, with your input.</p>
      </Notice>
      <LinkButton to="/">Continue to the experiments here</LinkButton>
    </Entrance>
  );
}

function SignInFailed({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  if (!(error instanceof Problem && [400, 401].includes(error.status)))
    return (
      <Entrance title="You are not signed in yet">
        <ProblemNotice problem={error} onRetry={onRetry} />
        <p>The link stays valid until the service accepts it.</p>
      </Entrance>
    );
  return (
    <Entrance title="This link no longer works">
      <Notice tone="warn" role="alert">
        <p>{error.detail}</p>
      </Notice>
      <HowToSignIn />
      <AlreadySignedIn />
    </Entrance>
  );
}

function AlreadySignedIn() {
  return (
    <p className="sign-in-foot">
      Already signed in? <Link to="/">All experiments</Link>
    </p>
  );
}

function Entrance({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  useTitle(title);
  return (
    <main className="entrance">
      <p className="brand sign-in-brand">
        <img src="/icon.svg" alt="" width="28" height="28" /> Assay
      </p>
      <section className="panel sign-in" aria-label={title}>
        <h1>{title}</h1>
        {children}
      </section>
    </main>
  );
}

/** How to get a session: by a one-time link, or from the identity provider. */
function HowToSignIn() {
  const { data, error, refetch } = useQuery(identityQuery());
  if (error) return <ProblemNotice problem={error} onRetry={() => refetch()} />;
  if (data === undefined) return <Skeleton lines={3} />;
  return data.issuer === null ? <ByLink /> : <AtProvider issuer={data.issuer} />;
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

function AtProvider({ issuer }: { readonly issuer: string }) {
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
