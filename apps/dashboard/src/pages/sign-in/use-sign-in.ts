import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { openSessionNews } from "../../api/connection.ts";
import { connectionLost, readProblem } from "../../api/problem.ts";
import { takeWantedPage } from "../../ui/wanted-page.ts";

/** How long another tab has to report that it waits. The exchange may take less time. */
const ANSWER_MS = 300;

/** Exchanges the ticket in the URL for a session, then opens the wanted page, unless another tab is waiting for the session. */
export function useSignIn() {
  const navigate = useNavigate();
  const cache = useQueryClient();
  const hash = useRouterState({ select: ({ location }) => location.hash });
  const [isSignedIn, setSignedIn] = useState(false);
  const isAwaited = useRef(false);
  const askedAt = useRef(0);
  const news = useRef<ReturnType<typeof openSessionNews>>(undefined);
  const { mutate, ...redemption } = useMutation({
    mutationFn: redeem,
    onSuccess: async () => {
      news.current?.say("signed-in");
      cache.clear();
      const left = askedAt.current + ANSWER_MS - performance.now();
      if (!isAwaited.current) await new Promise((resolve) => setTimeout(resolve, left));
      const page = takeWantedPage();
      if (isAwaited.current) setSignedIn(true);
      else if (page === "/") void navigate({ to: "/", replace: true });
      // With the origin, "//host" is no other host.
      else location.replace(location.origin + page);
    },
  });
  useEffect(() => {
    const opened = openSessionNews((heard) => {
      if (heard === "waiting") isAwaited.current = true;
      if (heard === "signed-in") setSignedIn(true);
    });
    news.current = opened;
    askedAt.current = performance.now();
    opened.say("is-anybody-waiting");
    return opened.close;
  }, []);
  useEffect(() => {
    const ticket = new URLSearchParams(hash).get("ticket");
    if (ticket === null) return;
    // Removes the ticket from the URL and the history first, because it is a password.
    void navigate({ to: "/sign-in", hash: "", replace: true });
    mutate({ ticket, replace: false });
  }, [hash, mutate, navigate]);
  const retry = () => {
    if (redemption.variables !== undefined) mutate(redemption.variables);
  };
  /** Uses the link although somebody else is signed in: ends that session. */
  const replace = () => {
    if (redemption.variables !== undefined) mutate({ ...redemption.variables, replace: true });
  };
  return { ...redemption, hasTicket: hash.includes("ticket="), isSignedIn, retry, replace };
}

interface Redemption {
  readonly ticket: string;
  readonly replace: boolean;
}

async function redeem(body: Redemption): Promise<void> {
  const response = await fetch("/auth/sign-in", {
    method: "POST",
    credentials: "same-origin",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  }).catch(() => {
    throw connectionLost();
  });
  if (!response.ok) throw readProblem(response, await response.json().catch(() => null));
}
