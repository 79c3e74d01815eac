import "./shell.css";
import { useQuery } from "@tanstack/react-query";
import { Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { connection, openSessionNews } from "../api/connection.ts";
import { Problem } from "../api/problem.ts";
import { queries } from "../api/queries.ts";
import { onAnnounce } from "../ui/announce.ts";
import { ProblemNotice } from "../ui/Notice.tsx";
import { Skeleton } from "../ui/Page.tsx";
import { keepWantedPage } from "../ui/wanted-page.ts";
import { ConnectionBanner } from "./ConnectionBanner.tsx";
import { GlobalKeys } from "./GlobalKeys.tsx";
import { Navigation } from "./Navigation.tsx";
import { PasskeyGate } from "./PasskeyGate.tsx";
import { TopBar } from "./TopBar.tsx";

const RECONNECT_MS = 3_000;

/** The frame of every page except sign-in: top bar, navigation and connection banner. */
export function Shell() {
  const state = useSyncExternalStore(connection.subscribe, connection.state);
  // Many pages load nothing by themselves, so without this their banner would stay after the service is back.
  const me = useQuery({ ...queries.whoami(), refetchInterval: state === "lost" ? RECONNECT_MS : false });
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // Open only on this path, so that navigating closes the menu.
  const [menuPath, setMenuPath] = useState<string | null>(null);
  const [isKeysOpen, setKeysOpen] = useState(false);
  useRenewedSession(me.refetch);
  if (me.data === undefined) return <Entrance error={me.error} onRetry={() => me.refetch()} />;
  const isMenuOpen = menuPath === path;
  return (
    <div className={isMenuOpen ? "shell is-menu-open" : "shell"}>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <TopBar
        me={me.data}
        isMenuOpen={isMenuOpen}
        onMenu={() => setMenuPath(isMenuOpen ? null : path)}
        onListKeys={() => setKeysOpen(true)}
      />
      <Navigation me={me.data} />
      <main id="main" className="main" tabIndex={-1}>
        <ConnectionBanner state={state} onRetry={() => me.refetch()} />
        <FocusOnNavigation />
        <Outlet />
      </main>
      <Announcer />
      <GlobalKeys isListOpen={isKeysOpen} onListOpen={setKeysOpen} />
    </div>
  );
}

function Entrance({ error, onRetry }: { readonly error: Error | null; readonly onRetry: () => void }) {
  if (error instanceof Problem && error.status === 401) return <ToSignIn />;
  if (error instanceof Problem && error.kind === "passkey-required") return <PasskeyGate />;
  return (
    <main className="entrance">
      {error ? <ProblemNotice problem={error} onRetry={onRetry} /> : <Skeleton />}
    </main>
  );
}

/** Opens the sign-in, from which the person returns to this page. */
function ToSignIn() {
  const navigate = useNavigate();
  useEffect(() => {
    keepWantedPage();
    void navigate({ to: "/sign-in", replace: true });
  }, [navigate]);
  return null;
}

/** Moves the focus to the content after navigation, so that screen readers announce the new page. */
function FocusOnNavigation() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const previous = useRef(path);
  useEffect(() => {
    if (previous.current === path) return;
    previous.current = path;
    document.getElementById("main")?.focus({ preventScroll: true });
  }, [path]);
  return null;
}

const SHOWN_MS = 5_000;

/** Shows announcements, and lets screen readers read them. */
function Announcer() {
  const [text, setText] = useState("");
  useEffect(() => onAnnounce(setText), []);
  useEffect(() => {
    if (text === "") return undefined;
    const timer = setTimeout(() => setText(""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <p className={text === "" ? "announcer" : "announcer is-shown"} role="status">
      {text}
    </p>
  );
}

/** Continues after a sign-in in another tab, and tells that tab that this one is waiting. */
function useRenewedSession(onRenewed: () => void): void {
  useEffect(() => {
    const news = openSessionNews((heard) => {
      if (connection.state() !== "session-ended") return;
      if (heard === "is-anybody-waiting") news.say("waiting");
      if (heard === "signed-in") onRenewed();
    });
    return news.close;
  }, [onRenewed]);
}
