import "./sign-in.css";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { identityQuery } from "../../api/identity.ts";
import { Problem } from "../../api/problem.ts";
import { Button, LinkButton } from "../../ui/Button.tsx";
import { Notice, ProblemNotice } from "../../ui/Notice.tsx";
import { Skeleton, useTitle } from "../../ui/Page.tsx";
import { wantedPage } from "../../ui/wanted-page.ts";
import { useSignIn } from "./use-sign-in.ts";

/** The page of one-time links, and for people without a session. */
export default function SignInPage() {
  const { hasTicket, isPending, isSignedIn, error, retry, replace } = useSignIn();
  if (isSignedIn) return <SignedIn />;
  if (hasTicket || isPending)
    return (
      <Entrance title="Signing you in…">
        <Skeleton lines={2} />
      </Entrance>
    );
  if (error instanceof Problem && error.kind === "session-of-another")
    return <SignedInAsAnother problem={error} onReplace={replace} />;
  if (error) return <SignInFailed error={error} onRetry={retry} />;
  const refusal = new URLSearchParams(location.search).get("error");
  if (refusal !== null) return <RefusedAtProvider kind={refusal} />;
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

function SignedInAsAnother({
  problem,
  onReplace,
}: {
  readonly problem: Problem;
  readonly onReplace: () => void;
}) {
  return (
    <Entrance title="Somebody else is signed in">
      <Notice tone="warn" role="alert">
        <p>{problem.detail.split(". ")[0]}.</p>
      </Notice>
      <p>Continue only if you expected this link. It ends the session of this browser.</p>
      <div className="row">
        <LinkButton to="/">Stay signed in</LinkButton>
        <Button onPress={onReplace}>Use the link</Button>
      </div>
    </Entrance>
  );
}

function SignInFailed({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
  if (!(error instanceof Problem && [400, 401].includes(error.status)))
    return (
      <Entrance title="You are not signed in yet">
        <ProblemNotice problem={error} onRetry={onRetry} />
        <p>The link stays valid until the service accepts it or it expires.</p>
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

const NO_ORGANIZATION = "no-organization";
/** The service's reason in the address after a failed sign-in at the provider. Other text in the address is not shown. */
const REFUSALS: ReadonlyMap<string, string> = new Map([
  ["identity-unavailable", "The identity provider does not answer. Try again in a few minutes."],
  [
    "sign-in-expired",
    "The sign-in took longer than ten minutes, or began in another browser. Start again here.",
  ],
  [
    "invalid-credential",
    "The identity provider refused the sign-in, or your account has no organization or role here. You may also have been removed: ask an admin. The service's log has the reason.",
  ],
  [
    NO_ORGANIZATION,
    "You signed in as a platform owner, but the identity provider names no organization for you, and every page of the dashboard belongs to one. Have the provider name one, or set ASSAY_IDENTITY_DEFAULT_ORG. The routes under /v1/admin work with this session.",
  ],
  [
    "seat-required",
    "All seats of your organization's plan are taken. Ask an admin to remove a member or to choose a larger plan.",
  ],
]);

function RefusedAtProvider({ kind }: { readonly kind: string }) {
  return (
    <Entrance title={kind === NO_ORGANIZATION ? "Your account has no organization" : "You are not signed in"}>
      <Notice tone="warn" role="alert">
        <p>{REFUSALS.get(kind) ?? "The sign-in failed. Try again."}</p>
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
  if (data.issuer === null) return <ByLink />;
  return data.sign_in === null ? (
    <AtProvider issuer={data.issuer} />
  ) : (
    <StartAtProvider issuer={data.issuer} start={data.sign_in} />
  );
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

/** A link instead of a scripted request, because it leads to the provider's own page. */
function StartAtProvider({ issuer, start }: { readonly issuer: string; readonly start: string }) {
  return (
    <p>
      <a className="button button-primary" href={`${start}?return_to=${encodeURIComponent(wantedPage())}`}>
        Sign in with {URL.parse(issuer)?.host ?? issuer}
      </a>
    </p>
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
