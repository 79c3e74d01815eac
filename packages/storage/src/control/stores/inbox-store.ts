import type { ContactMessage, InboxStore } from "@assay/domain";
import type { Kysely, Selectable } from "kysely";
import { dialectOf } from "../dialect/dialect.ts";
import { mapPage, mergePages, readPage } from "../query/keyset-page.ts";
import type { Database } from "../schema/schema.ts";

/** Binds the inbox store to a database or a transaction. */
export const inboxStore = (db: Kysely<Database>): InboxStore => ({
  async putFeedback({ id, orgId, at, author, category, message, page }) {
    const by = { authorId: author.id, authorName: author.name, authorEmail: author.email };
    await db
      .insertInto("feedback")
      .values({ id, orgId, at, ...by, category, message, page })
      .execute();
  },

  async listFeedback(orgId, page) {
    const query = db.selectFrom("feedback").selectAll().where("orgId", "=", orgId);
    return mapPage(await readPage(query, newestFirst("feedback"), page), toFeedback);
  },

  async putContact({ id, at, name, email, company, message }, sender) {
    await db
      .insertInto("contactMessages")
      .values({ id, at, name, email, company, message, sender })
      .execute();
  },

  lockContacts: () => dialectOf(db).lockTable(db, "contactMessages"),

  async listContactTimes(sender, since) {
    const rows = await db
      .selectFrom("contactMessages")
      .select("at")
      .where("sender", "=", sender)
      .where("at", ">=", since)
      .orderBy("at")
      .execute();
    return rows.map(({ at }) => at);
  },

  async list(page) {
    const feedback = await readPage(feedbackOfOrgs(db), newestFirst("feedback"), page);
    const contact = await readPage(contactMessages(db), newestFirst("contactMessages"), page);
    return mergePages(mapPage(feedback, toFeedbackItem), mapPage(contact, toContactItem), page.limit);
  },
});

const contactMessages = (db: Kysely<Database>) =>
  db.selectFrom("contactMessages").select(["id", "at", "name", "email", "company", "message"]);

const feedbackOfOrgs = (db: Kysely<Database>) =>
  db
    .selectFrom("feedback")
    .innerJoin("orgs", "orgs.id", "feedback.orgId")
    .selectAll("feedback")
    .select("orgs.name as orgName");

type FeedbackRow = Selectable<Database["feedback"]>;

const toFeedback = <Row extends FeedbackRow>({ authorId, authorName, authorEmail, ...feedback }: Row) => ({
  ...feedback,
  author: { id: authorId, name: authorName, email: authorEmail },
});

const toFeedbackItem = (row: FeedbackRow & { orgName: string }) => ({
  kind: "feedback" as const,
  ...toFeedback(row),
});

const toContactItem = (message: ContactMessage) => ({ kind: "contact" as const, ...message });

const newestFirst = (table: "feedback" | "contactMessages") => ({
  at: `${table}.at`,
  id: `${table}.id`,
  positionOf: (row: { readonly at: number; readonly id: string }) => row,
});
