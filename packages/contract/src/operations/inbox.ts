import { operation } from "../operation.ts";
import {
  ContactRequest,
  FeedbackPage,
  FeedbackRequest,
  FeedbackSchema,
  InboxPage,
} from "../schemas/inbox.ts";
import { PageQuery } from "../schemas/shared.ts";

const member = { kind: "session", role: "member" } as const;

export const listFeedback = operation({
  operationId: "listFeedback",
  method: "GET",
  path: "/v1/feedback",
  plane: "dashboard",
  summary: "Lists the feedback that the org has sent, newest first.",
  auth: member,
  query: PageQuery,
  answers: { 200: { description: "One page.", schema: FeedbackPage } },
  problems: [],
});

export const postFeedback = operation({
  operationId: "createFeedback",
  method: "POST",
  path: "/v1/feedback",
  plane: "dashboard",
  summary: "Sends feedback to the platform owner.",
  auth: member,
  body: FeedbackRequest,
  answers: { 201: { description: "The feedback as stored.", schema: FeedbackSchema } },
  problems: [],
});

export const postContact = operation({
  operationId: "contact",
  method: "POST",
  path: "/v1/contact",
  plane: "public",
  summary:
    "Sends a message to the platform owner. Needs no credential. A message has at most 64 KiB, and an IP address can send a few an hour. The response has no body.",
  auth: { kind: "none" },
  body: ContactRequest,
  answers: { 202: { description: "Accepted." } },
  problems: ["rate-limited"],
});

export const listInbox = operation({
  operationId: "listInbox",
  method: "GET",
  path: "/v1/admin/inbox",
  plane: "platform-owner",
  summary: "Lists contact messages and every org's feedback, newest first.",
  auth: { kind: "platform-owner" },
  query: PageQuery,
  answers: { 200: { description: "One page.", schema: InboxPage } },
  problems: [],
});
