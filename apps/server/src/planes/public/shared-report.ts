import { type BodyOf, experimentAnswer, reportLinks as operations, toWire } from "@assay/contract";
import { DomainError, type Experiment, type ReportLink } from "@assay/domain";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../../deps.ts";
import { compileReaders } from "../../http/define-route.ts";
import { sendWire } from "../../http/send-wire.ts";
import { loadOverview } from "../../report/load-overview.ts";
import { idOfToken, isTokenOf } from "../../report/report-link-token.ts";
import { resultsAnswer } from "../../report/results-answer.ts";

const operation = operations.readSharedReport;
const read = compileReaders(operation);
const MAX_BYTES = 4_096;

/** Shows a report to anybody who has a link to it. The token is in the body, because addresses are logged. */
export function registerSharedReport(app: FastifyInstance, deps: Deps): void {
  app.post(operation.path, { bodyLimit: MAX_BYTES }, async (request, reply) => {
    const { token } = read(request).body as BodyOf<typeof operation>;
    const link = await findLink(token, deps);
    if (link === null) {
      deps.rateLimits.signatures.take(request.ip);
      throw new DomainError(
        "report-link-not-found",
        "The link is incomplete, expired or revoked, or the organization no longer allows links. Ask the sender for a new one.",
      );
    }
    deps.rateLimits.searches.take(link.orgId);
    const body = toWire(operation.answers[200].schema, await loadReport(link, deps));
    reply.header("cache-control", "no-store");
    return sendWire<typeof operation>(reply, { status: 200, body });
  });
}

async function findLink(token: string, { control, clock, sealer }: Deps): Promise<ReportLink | null> {
  const id = idOfToken(token);
  const link = id === null ? null : await control.reportLinks.find(id);
  if (link === null || !isTokenOf(link, token, sealer) || link.expiresAt <= clock.now()) return null;
  return (await control.orgs.allowsReportLinks(link.orgId)) ? link : null;
}

/** Loads what the report's page shows: the newest run, the setup, and the texts that its users got. No names or ids of people. */
async function loadReport({ orgId, experimentId, expiresAt }: ReportLink, deps: Deps) {
  const { control } = deps;
  const experiment = await control.experiments.get(orgId, experimentId);
  const run = await control.results.find(orgId, experimentId);
  const versions = await control.experiments.listVersions(orgId, experimentId);
  return {
    experiment: withoutUsers(experiment),
    overview: { ...(await loadOverview(experiment, deps)), createdBy: null },
    results: run && resultsAnswer(run, await control.results.listLabels(orgId, experimentId)),
    versions: versions.map((version) => ({ ...withoutUsers(version), createdBy: null })),
    expiresAt,
  };
}

const withoutUsers = (experiment: Experiment) => ({ ...experimentAnswer(experiment), qaUsers: {} });
