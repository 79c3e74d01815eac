import { FEEDBACK_CATEGORIES } from "@assay/domain";
import { Type } from "typebox";
import { Email, Id, Instant, Line, NextCursor, NO_NUL, Nullable, OneOf, strict } from "./shared.ts";

/** Text of several lines. PostgreSQL stores no NUL. */
const Message = Type.String({ minLength: 1, maxLength: 5_000, pattern: NO_NUL });
const category = OneOf(FEEDBACK_CATEGORIES);

export const FeedbackRequest = Type.Object(
  {
    message: Message,
    category,
    page: Type.Optional(Line(200)),
  },
  { ...strict, $id: "FeedbackRequest" },
);

const feedbackFields = {
  id: Id,
  at: Instant,
  author: Type.Object({ id: Type.String(), name: Type.String(), email: Type.String() }),
  category,
  message: Type.String(),
  page: Nullable(Type.String({ description: "The dashboard page on which it was written." })),
};

export const FeedbackSchema = Type.Object(feedbackFields, { $id: "Feedback" });
export const FeedbackPage = Type.Object(
  { items: Type.Array(FeedbackSchema), next_cursor: NextCursor },
  { $id: "FeedbackPage" },
);

export const ContactRequest = Type.Object(
  {
    name: Line(200),
    email: Email,
    message: Message,
    company: Type.Optional(Line(200)),
    website: Type.Optional(
      Type.String({
        description: "Honeypot for robots: leave it empty. A message that fills it is dropped.",
      }),
    ),
  },
  { ...strict, $id: "ContactRequest" },
);

const InboxContact = Type.Object(
  {
    kind: OneOf(["contact"]),
    id: Id,
    at: Instant,
    name: Type.String(),
    email: Type.String(),
    company: Nullable(Type.String()),
    message: Type.String(),
  },
  { $id: "InboxContact" },
);
const InboxFeedback = Type.Object(
  { kind: OneOf(["feedback"]), org_id: Id, org_name: Type.String(), ...feedbackFields },
  { $id: "InboxFeedback" },
);
export const InboxPage = Type.Object(
  { items: Type.Array(Type.Union([InboxContact, InboxFeedback])), next_cursor: NextCursor },
  { $id: "InboxPage" },
);
