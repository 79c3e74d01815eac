import type { Page, PageQuery } from "./page.ts";

export const FEEDBACK_CATEGORIES = ["bug", "idea", "question", "other"] as const;
export type FeedbackCategory = (typeof FEEDBACK_CATEGORIES)[number];

export interface Feedback {
  readonly id: string;
  readonly orgId: string;
  readonly at: number;
  readonly author: { readonly id: string; readonly name: string; readonly email: string };
  readonly category: FeedbackCategory;
  readonly message: string;
  /** The page of the dashboard it was written on. */
  readonly page: string | null;
}

export interface ContactMessage {
  readonly id: string;
  readonly at: number;
  readonly name: string;
  readonly email: string;
  readonly company: string | null;
  readonly message: string;
}

export type InboxItem =
  | ({ readonly kind: "contact" } & ContactMessage)
  | ({ readonly kind: "feedback"; readonly orgName: string } & Feedback);

/** Messages to the platform owner. */
export interface InboxStore {
  putFeedback(feedback: Feedback): Promise<void>;
  listFeedback(orgId: string, page: PageQuery): Promise<Page<Feedback>>;
  /** `sender`: a fingerprint of the IP address, for the hourly limit; the address itself is not kept. */
  putContact(message: ContactMessage, sender: string): Promise<void>;
  /** Makes other transactions that lock the messages wait until this one ends. */
  lockContacts(): Promise<void>;
  /** Times of the sender's messages at or after `since`, oldest first. */
  listContactTimes(sender: string, since: number): Promise<readonly number[]>;
  /** Everything, newest first. */
  list(page: PageQuery): Promise<Page<InboxItem>>;
}
