export type ConnectionState = "fine" | "lost" | "session-ended";

const listeners = new Set<() => void>();
let state: ConnectionState = "fine";

/** The state of the connection. It lives outside React because every request reports to it. */
export const connection = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  state: (): ConnectionState => state,
  lost: () => become("lost"),
  sessionEnded: () => become("session-ended"),
  /** A success proves that the service answers and that the session is valid. */
  answered: () => become("fine"),
};

function become(next: ConnectionState): void {
  if (state === next) return;
  state = next;
  for (const listener of listeners) listener();
}

/** Messages between tabs of one browser about the session they share. */
type SessionNews = "is-anybody-waiting" | "waiting" | "signed-in";

const NAME = "assay-session";

/** Opens the channel between tabs: `onNews` receives, `say` sends. The caller closes it. */
export function openSessionNews(onNews: (news: SessionNews) => void): {
  readonly say: (news: SessionNews) => void;
  readonly close: () => void;
} {
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }: MessageEvent<SessionNews>) => onNews(data);
  return { say: (news) => channel.postMessage(news), close: () => channel.close() };
}
