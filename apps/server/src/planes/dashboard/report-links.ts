import { reportLinks as operations } from "@assay/contract";
import { DAY_MS, DomainError, type Experiment, type ReportLink, toInstant } from "@assay/domain";
import { auditEntry } from "../../audit-entry.ts";
import { defineRoute } from "../../http/define-route.ts";
import { tokenOfLink } from "../../report/report-link-token.ts";

const DEFAULT_DAYS = 7;
const MAX_LINKS = 50;

export const listReportLinks = defineRoute(
  operations.listReportLinks,
  async ({ params, caller: { orgId } }, { control, clock }) => {
    const { id } = await control.experiments.get(orgId, params.id);
    const links = await control.reportLinks.list(orgId, id);
    return {
      allowed: await control.orgs.allowsReportLinks(orgId),
      items: links.filter(({ expiresAt }) => expiresAt > clock.now()).map(linkAnswer),
    };
  },
);

export const createReportLink = defineRoute(
  operations.createReportLink,
  async ({ params, body: { expiresInDays = DEFAULT_DAYS }, caller }, deps) => {
    const { control, clock, newId, sealer } = deps;
    const { orgId, userId } = caller;
    const experiment = await control.experiments.get(orgId, params.id);
    const now = clock.now();
    const link: ReportLink = {
      ...{ orgId, experimentId: experiment.id, id: newId() },
      ...{ createdBy: userId, createdByName: caller.name || caller.email },
      ...{ createdAt: now, expiresAt: now + expiresInDays * DAY_MS },
    };
    await control.transaction(async (stores) => {
      await stores.orgs.lock(orgId);
      if (!(await stores.orgs.allowsReportLinks(orgId)))
        throw new DomainError(
          "report-links-forbidden",
          "Your organization allows no links to reports: an admin can allow them under Settings.",
        );
      await stores.reportLinks.removeExpired(orgId, now);
      if ((await stores.reportLinks.list(orgId, experiment.id)).length >= MAX_LINKS)
        throw new DomainError(
          "too-many-report-links",
          `This experiment has ${MAX_LINKS} links, the maximum: revoke one that is no longer needed.`,
        );
      await stores.reportLinks.put(link);
      const summary = `Made a link to the report, valid until ${toInstant(link.expiresAt)}.`;
      await stores.audit.record(auditEntry(caller, entryOf("report-link.create", experiment, summary), deps));
    });
    return { ...linkAnswer(link), path: `/shared#${tokenOfLink(link, sealer)}` };
  },
);

export const revokeReportLink = defineRoute(operations.revokeReportLink, async ({ params, caller }, deps) => {
  const experiment = await deps.control.experiments.get(caller.orgId, params.id);
  await deps.control.transaction(async (stores) => {
    const link = { orgId: caller.orgId, experimentId: experiment.id, id: params.linkId };
    if (!(await stores.reportLinks.remove(link)))
      throw new DomainError(
        "report-link-not-found",
        "There is no such link: it was revoked, or it has expired.",
      );
    const entry = entryOf("report-link.revoke", experiment, "Revoked a link to the report.");
    await stores.audit.record(auditEntry(caller, entry, deps));
  });
});

export const getReportLinkSetting = defineRoute(
  operations.getReportLinkSetting,
  async ({ caller: { orgId } }, { control }) => ({ allowed: await control.orgs.allowsReportLinks(orgId) }),
);

export const putReportLinkSetting = defineRoute(
  operations.putReportLinkSetting,
  async ({ body: { allowed }, caller }, deps) => {
    const { orgId } = caller;
    await deps.control.transaction(async (stores) => {
      await stores.orgs.lock(orgId);
      if ((await stores.orgs.allowsReportLinks(orgId)) === allowed) return;
      await stores.orgs.putReportLinksAllowed(orgId, allowed);
      const summary = allowed
        ? "Allowed links to reports."
        : "Forbade links to reports, including existing ones.";
      const entry = { action: "org.report-links", targetType: "org", targetId: orgId, summary };
      await stores.audit.record(auditEntry(caller, entry, deps));
    });
    return { allowed };
  },
);

function entryOf(action: string, { id }: Pick<Experiment, "id">, summary: string) {
  return { action, targetType: "experiment", targetId: id, summary };
}

function linkAnswer({ id, createdAt, createdBy, createdByName, expiresAt }: ReportLink) {
  return { id, createdAt, createdBy: { id: createdBy, name: createdByName }, expiresAt };
}
