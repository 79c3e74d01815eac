import { org as operations } from "@assay/contract";
import { type ControlStores, type OrgSecurityEvent, SECURITY_RETENTION_MS } from "@assay/domain";
import { defineRoute } from "../../http/define-route.ts";
import { pageAnswer, toPageQuery } from "../../http/page.ts";

export const listSecurityEvents = defineRoute(
  operations.listSecurityEvents,
  async ({ query, caller }, { control, clock, security }) => {
    // Stores the newest events of this process so that they are shown. Other processes store theirs within a minute.
    await security.store();
    const since = clock.now() - SECURITY_RETENTION_MS;
    const page = await control.securityEvents.list(caller.orgId, { ...toPageQuery(query), since });
    const names = await namesOf(page.items, caller.orgId, control);
    return pageAnswer(page, ({ name, actor, ...event }) => ({
      ...event,
      event: name,
      actor: actor === null ? null : { id: actor, name: names.get(actor) ?? actor },
    }));
  },
);

/** Finds the actors' names: emails for members, names for service tokens. */
async function namesOf(
  events: readonly OrgSecurityEvent[],
  orgId: string,
  { people, serviceTokens }: Pick<ControlStores, "people" | "serviceTokens">,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map((await serviceTokens.list(orgId)).map(({ id, name }) => [id, name]));
  for (const id of new Set(events.flatMap(({ actor }) => actor ?? []))) {
    const member = names.has(id) ? null : await people.findMember(orgId, id);
    if (member !== null) names.set(id, member.email || member.name);
  }
  return names;
}
