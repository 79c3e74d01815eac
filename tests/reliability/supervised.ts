import { CLI, type Environment, NODE, type Program, startProgram } from "../e2e/support/program.ts";
import { attach, metric, send } from "../e2e/support/service.ts";

/** One process of the service, which keeps its address over restarts, as one behind a supervisor does. */
export interface Supervised {
  readonly name: string;
  readonly url: string;
  pid(): number;
  /** What all its programs so far wrote to their logs. */
  log(): string;
  /** Whether it says that it leads the workers. */
  isLeader(): Promise<boolean>;
  isRunning(): boolean;
  signal(signal: NodeJS.Signals): void;
  /** Resolves once the process has ended, with its code. */
  ended(): Promise<number | null>;
  /** Starts it again after its end; resolves once it listens. */
  start(): Promise<void>;
  /** Asks it to stop in order; resolves at its end. Throws when it ends otherwise. */
  stop(): Promise<void>;
  isReady(): Promise<boolean>;
}

const READY_MS = 5_000;

/** Starts a process of the service with these settings and resolves once it listens. */
export async function startSupervised(name: string, env: Environment): Promise<Supervised> {
  const past: string[] = [];
  let program = launch(env);
  const { url, port } = await attach(program, "");
  const at = {
    send: <T>(method: string, path: string) => send<T>(`${url}${path}`, method, { timeoutMs: READY_MS }),
  };
  const stop = async () => {
    program.signal("SIGTERM");
    const { code, signal } = await program.exited;
    if (code !== 0)
      throw new Error(`${name} stopped with ${code ?? signal}:\n${program.stderr().slice(-4_000)}`);
  };
  return {
    name,
    url,
    pid: () => program.pid,
    log: () => [...past, program.stderr()].join(""),
    isLeader: async () => (await metric(at, "assay_leader").catch(() => 0)) === 1,
    isRunning: () => !program.hasExited(),
    signal: (signal) => program.signal(signal),
    ended: async () => (await program.exited).code,
    async start() {
      past.push(program.stderr());
      program = launch({ ...env, ASSAY_PORT: port });
      await attach(program, "");
    },
    stop,
    isReady: async () => {
      const answer = await at.send("GET", "/readyz").catch(() => null);
      return answer?.status === 200;
    },
  };
}

const launch = (env: Environment): Program => startProgram(NODE, [CLI, "serve"], { ASSAY_PORT: "0", ...env });
