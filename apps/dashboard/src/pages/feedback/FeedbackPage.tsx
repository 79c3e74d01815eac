import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Loaded, MoreButton } from "../../ui/Loaded.tsx";
import { Empty, Page, Panel } from "../../ui/Page.tsx";
import { Time } from "../../ui/Time.tsx";
import { FeedbackForm } from "./FeedbackForm.tsx";
import { CATEGORY_WORDS, feedbackQuery } from "./queries.ts";
import "./feedback.css";

export default function FeedbackPage() {
  // Each message gets a new form.
  const [sent, setSent] = useState(0);
  return (
    <Page
      title="Feedback"
      lead="Send a message to the operator of this installation. Everyone in your organization can read it."
    >
      <Panel title="New feedback">
        <FeedbackForm key={sent} onSent={() => setSent(sent + 1)} />
      </Panel>
      <Panel title="Feedback from your organization">
        <FeedbackList />
      </Panel>
    </Page>
  );
}

function FeedbackList() {
  const feedback = useInfiniteQuery(feedbackQuery());
  return (
    <Loaded query={feedback}>
      {({ pages }) => {
        const items = pages.flatMap((page) => page.items);
        if (items.length === 0)
          return (
            <Empty title="No feedback yet">
              <p>Messages from you and your colleagues appear here.</p>
            </Empty>
          );
        return (
          <>
            <ul className="feedback-list">
              {items.map(({ id, at, author, category, message, page }) => (
                <li key={id}>
                  <p className="muted">
                    {CATEGORY_WORDS[category]} · {author.name || author.email} · <Time at={at} />
                    {page === null ? null : (
                      <>
                        {" · about "}
                        <code>{page}</code>
                      </>
                    )}
                  </p>
                  <p className="feedback-message">{message}</p>
                </li>
              ))}
            </ul>
            <MoreButton query={feedback}>Show older feedback</MoreButton>
          </>
        );
      }}
    </Loaded>
  );
}
