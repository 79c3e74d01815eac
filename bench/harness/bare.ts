import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { askOnce } from "./ask-once.ts";
import type { Answer, BareMessage } from "./bare-messages.ts";
import type { Target } from "./load.ts";
import { type Program, startProgram } from "./program.ts";

/** The reference server in a separate process. */
export interface Bare extends Program {
  /** Copies the service's answer to `target` and returns the same target on the bare server. */
  standIn(target: Target): Promise<Target>;
  /** From now on, reads each request's body and refuses the request. Returns the server's address. */
  refuse(): Promise<string>;
}

/** Starts the bare `node:http` server. */
export async function startBare(): Promise<Bare> {
  const program = startProgram([fileURLToPath(new URL("./bare-server.ts", import.meta.url))]);
  const hear = async () => (await once(program.child, "message"))[0] as BareMessage;
  const ready = await hear();
  if (ready.kind !== "ready") throw new Error("The bare server did not start.");
  const url = `http://127.0.0.1:${ready.port}/`;
  const answerWith = async (answer: Answer) => {
    program.child.send(answer);
    await hear();
  };
  return {
    ...program,
    async standIn(target) {
      await answerWith(await askOnce(target));
      return { ...target, url, pid: program.pid };
    },
    async refuse() {
      await answerWith({ status: 429, headers: {}, body: "" });
      return url;
    },
  };
}
