import type { ControlPlane } from "@assay/domain";
import { afterAll, beforeAll, describe } from "vitest";
import { adminContract } from "./control-plane/admin.ts";
import { alertContract } from "./control-plane/alerts.ts";
import { auditContract } from "./control-plane/audit.ts";
import { billingContract } from "./control-plane/billing.ts";
import { claimContract } from "./control-plane/claims.ts";
import { coordinationContract } from "./control-plane/coordination.ts";
import { datasetContract } from "./control-plane/datasets.ts";
import type { Engine } from "./control-plane/engine.ts";
import { erasureContract } from "./control-plane/erasures.ts";
import { exclusionContract } from "./control-plane/exclusions.ts";
import { experimentLifeContract } from "./control-plane/experiment-life.ts";
import { experimentContract } from "./control-plane/experiments.ts";
import { inboxContract } from "./control-plane/inbox.ts";
import { judgementContract } from "./control-plane/judgements.ts";
import { judgingQueueContract } from "./control-plane/judging-queue.ts";
import { keyContract } from "./control-plane/keys.ts";
import { labelContract } from "./control-plane/labels.ts";
import { modelPriceContract } from "./control-plane/model-prices.ts";
import { orgContract } from "./control-plane/orgs.ts";
import { passkeyContract } from "./control-plane/passkeys.ts";
import { peopleContract } from "./control-plane/people.ts";
import { pickContract } from "./control-plane/picks.ts";
import { pipelineRunContract } from "./control-plane/pipeline-runs.ts";
import { planContract } from "./control-plane/plans.ts";
import { rehearsalQueueContract } from "./control-plane/rehearsal-queue.ts";
import { rehearsalContract } from "./control-plane/rehearsals.ts";
import { replayContract } from "./control-plane/replays.ts";
import { reportLinkContract } from "./control-plane/report-links.ts";
import { resultContract } from "./control-plane/results.ts";
import { schemaContract } from "./control-plane/schema.ts";
import { scimContract } from "./control-plane/scim.ts";
import { securityEventContract } from "./control-plane/security-events.ts";
import { serviceTokenContract } from "./control-plane/service-tokens.ts";
import { sharedMetricContract } from "./control-plane/shared-metrics.ts";
import { signInLinkContract } from "./control-plane/sign-in-links.ts";
import { transactionContract } from "./control-plane/transactions.ts";
import { usageContract } from "./control-plane/usage.ts";
import { waitingTraceContract } from "./control-plane/waiting-traces.ts";
import { webhookSecretContract } from "./control-plane/webhook-secrets.ts";

/**
 * Registers the tests that every control plane must pass. `open` is called twice and opens the same empty database;
 * `execute` runs one SQL statement directly on it.
 */
export function controlPlaneContract(
  name: string,
  open: () => Promise<ControlPlane>,
  execute: (sql: string) => Promise<void>,
): void {
  describe(name, () => {
    const planes: ControlPlane[] = [];
    beforeAll(async () => {
      planes.push(await open(), await open());
      await Promise.all(planes.map((plane) => plane.migrate()));
    });
    afterAll(async () => {
      await Promise.all(planes.map((plane) => plane.close()));
    });

    const engine = (): Engine => ({ planes: [planes[0]!, planes[1]!], execute });
    schemaContract(engine);
    transactionContract(engine);
    orgContract(engine);
    peopleContract(engine);
    scimContract(engine);
    signInLinkContract(engine);
    keyContract(engine);
    experimentContract(engine);
    experimentLifeContract(engine);
    claimContract(engine);
    sharedMetricContract(engine);
    exclusionContract(engine);
    auditContract(engine);
    resultContract(engine);
    replayContract(engine);
    waitingTraceContract(engine);
    pickContract(engine);
    rehearsalContract(engine);
    rehearsalQueueContract(engine);
    reportLinkContract(engine);
    datasetContract(engine);
    alertContract(engine);
    pipelineRunContract(engine);
    usageContract(engine);
    planContract(engine);
    webhookSecretContract(engine);
    modelPriceContract(engine);
    billingContract(engine);
    judgingQueueContract(engine);
    judgementContract(engine);
    labelContract(engine);
    erasureContract(engine);
    inboxContract(engine);
    serviceTokenContract(engine);
    passkeyContract(engine);
    securityEventContract(engine);
    adminContract(engine);
    coordinationContract(engine);
  });
}
