import { experimentAnswer } from "@assay/contract";
import type { Experiment } from "@assay/domain";
import type { FastifyReply } from "fastify";

/** The answer of an experiment; its ETag is the version. */
export function tagged(experiment: Experiment, reply: FastifyReply) {
  reply.header("etag", `"${experiment.version}"`);
  return experimentAnswer(experiment);
}
