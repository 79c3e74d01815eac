import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Problem } from "../../api/problem.ts";
import { LinkButton } from "../../ui/Button.tsx";
import { Notice, ProblemNotice } from "../../ui/Notice.tsx";
import { Skeleton, useTitle } from "../../ui/Page.tsx";
import { HowToGetIn } from "./HowToGetIn.tsx";
import { useSignIn } from "./use-sign-in.ts";
import "./sign-in.css";

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
  if (error) return <Refused error={error} onRetry={retry} />;
  return (
    <Entrance title="You are not signed in">
      <p>Your session is missing or has ended.</p>
      <HowToGetIn />
      <AlreadyIn />
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

function Refused({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }) {
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
      <HowToGetIn />
      <AlreadyIn />
    </Entrance>
  );
}

function AlreadyIn() {
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
