import { CLI, type Environment, NODE, type Program, startProgram } from "../e2e/support/program.ts";
import { attach, metric, send } from "../e2e/support/service.ts";

/** A process of the service that keeps its address over restarts, as under a supervisor. */
export interface Supervised {
  readonly name: string;
  readonly url: string;
  pid(): number;
  /** The logs of all its runs so far. */
  log(): string;
  /** Whether it reports that it is the leader. */
  isLeader(): Promise<boolean>;
  isRunning(): boolean;
  signal(signal: NodeJS.Signals): void;
  /** Resolves with the exit code once the process has ended. */
  ended(): Promise<number | null>;
  /** Restarts it after its end. Resolves once it listens. */
  start(): Promise<void>;
  /** Asks it to shut down. Resolves at its end; throws unless the shutdown was clean. */
  stop(): Promise<void>;
  isReady(): Promise<boolean>;
}

const READY_MS = 5_000;

/** Starts a process of the service with these settings. Resolves once it listens. */
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
