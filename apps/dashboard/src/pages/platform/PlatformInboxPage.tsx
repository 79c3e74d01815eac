import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Wire } from "../../api/types.ts";
import { Badge } from "../../ui/Badge.tsx";
import { LinkButton } from "../../ui/Button.tsx";
import { Loaded, MoreButton } from "../../ui/Loaded.tsx";
import { Empty, Page } from "../../ui/Page.tsx";
import { Time } from "../../ui/Time.tsx";
import { CATEGORY_WORDS } from "../feedback/queries.ts";
import { PlatformOnly } from "./PlatformOnly.tsx";
import { platformQueries } from "./queries.ts";
import "./platform.css";

type Message = Wire<"InboxPage">["items"][number];

export default function PlatformInboxPage() {
  return (
    <PlatformOnly>
      <Page
        title="Inbox"
        lead="Contact messages and feedback from all organizations, newest first."
        actions={<LinkButton to="/platform">Platform</LinkButton>}
      >
        <Inbox />
      </Page>
    </PlatformOnly>
  );
}

function Inbox() {
  const inbox = useInfiniteQuery(platformQueries.inbox());
  return (
    <Loaded query={inbox}>
      {({ pages }) => {
        const messages = pages.flatMap(({ items }) => items);
        if (messages.length === 0)
          return (
            <Empty title="No messages yet">
              <p>
                Feedback comes from the link at the top of every page, contact messages from your website's
                form.
              </p>
            </Empty>
          );
        return (
          <>
            <ul className="inbox">
              {messages.map((message) => (
                <li key={message.id} className="panel">
                  <Head message={message} />
                  <p className="inbox-message">{message.message}</p>
                </li>
              ))}
            </ul>
            <MoreButton query={inbox}>Show older messages</MoreButton>
          </>
        );
      }}
    </Loaded>
  );
}

function Head({ message }: { readonly message: Message }) {
  return (
    <p className="row">
      {message.kind === "contact" ? (
        <>
          <Badge tone="info">contact</Badge>
          <strong>{message.name}</strong>
          <a href={`mailto:${encodeURIComponent(message.email)}`}>{message.email}</a>
          {message.company === null ? null : <span>{message.company}</span>}
        </>
      ) : (
        <>
          <Badge tone={message.category === "bug" ? "bad" : "quiet"}>
            {CATEGORY_WORDS[message.category]}
          </Badge>
          <strong>{message.author.name || message.author.email}</strong>
          <Link to="/platform/orgs/$id" params={{ id: message.org_id }}>
            {message.org_name}
          </Link>
          {message.page === null ? null : <code>{message.page}</code>}
        </>
      )}
      <span className="muted">
        <Time at={message.at} />
      </span>
    </p>
  );
}
