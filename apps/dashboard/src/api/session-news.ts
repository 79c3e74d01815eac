/** What tabs of one browser tell each other about the session they share. */
type SessionNews = "is-anybody-waiting" | "waiting" | "signed-in";

const NAME = "assay-session";

/** Hears what other tabs say; `say` answers them. Returns a channel to close. */
export function openSessionNews(onNews: (news: SessionNews) => void): {
  readonly say: (news: SessionNews) => void;
  readonly close: () => void;
} {
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }: MessageEvent<SessionNews>) => onNews(data);
  return { say: (news) => channel.postMessage(news), close: () => channel.close() };
}
