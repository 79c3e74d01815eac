import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setInterval } from "node:timers/promises";
import { Client } from "@assay/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cleanUp, onCleanUp } from "./support/clean-up.ts";
import { type Access, createExperiment, openAccess } from "./support/experiment.ts";
import { hasTools } from "./support/has-tools.ts";
import { ROOT, runProgram, startProgram } from "./support/program.ts";
import { expectOk, type RunningService, startService } from "./support/service.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

/** Less than the time between polls: what arrives by then was waited for. */
const SOON_MS = 40_000;
const LOOK_MS = 10;

/** Both programs print when the users' variants change, and to what. */
const WATCH_PYTHON = `
import time
from assay import Assay
client = Assay(long_poll=True)
assert client.wait_ready(30)
last = None
while True:
    now = ' '.join(sorted({str(client.assign('greeting', f'u-{i}')) for i in range(200)}))
    if now != last:
        print(round(time.time() * 1000), now, flush=True)
    last = now
    time.sleep(${LOOK_MS / 1_000})
`;
const WATCH_JAVA = `
import dev.assay.AssayClient;
import java.time.Duration;
import java.util.TreeSet;
class Watch {
    public static void main(String[] args) throws Exception {
        AssayClient client = AssayClient.builder().longPoll(true).build();
        if (!client.awaitReady(Duration.ofSeconds(30))) System.exit(1);
        String last = null;
        while (true) {
            TreeSet<String> variants = new TreeSet<>();
            for (int i = 0; i < 200; i++) variants.add("" + client.assign("greeting", "u-" + i));
            String now = String.join(" ", variants).replace("null", "None");
            if (!now.equals(last)) System.out.println(System.currentTimeMillis() + " " + now);
            last = now;
            Thread.sleep(${LOOK_MS});
        }
    }
}
`;

/** What a client's users have, and since when. */
interface Watch {
  readonly name: string;
  last(): { readonly since: number; readonly variants: string };
}

let service: RunningService;
let access: Access;
let experiment: string;
let env: Readonly<Record<string, string>>;
const watches: Watch[] = [];
beforeAll(async () => {
  service = await startService(temporaryFolder());
  access = await openAccess(service);
  experiment = await createExperiment(service, access, "greeting");
  env = { ASSAY_API_KEY: access.key["x-api-key"]!, ASSAY_BASE_URL: service.url };
});
afterAll(cleanUp);

async function watchTypescript(): Promise<Watch> {
  const client = new Client({ apiKey: env.ASSAY_API_KEY!, baseUrl: service.url, longPoll: true });
  onCleanUp(async () => void (await client.close()));
  expect(await client.ready()).toBe(true);
  let last = { since: Date.now(), variants: "" };
  const look = async () => {
    for await (const _ of setInterval(LOOK_MS, null, { ref: false })) {
      const found = Array.from({ length: 200 }, (__, index) => client.assign("greeting", `u-${index}`));
      const variants = [...new Set(found.map((variant) => variant ?? "None"))].sort().join(" ");
      if (variants !== last.variants) last = { since: Date.now(), variants };
    }
  };
  void look();
  return { name: "TypeScript", last: () => last };
}

function watchProgram(
  name: string,
  command: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Watch {
  const program = startProgram(command[0]!, command.slice(1), { ...env, ...more });
  return {
    name,
    last() {
      if (program.hasExited()) throw new Error(`${name} ended: ${program.stderr()}`);
      const [since, ...variants] = program.stdout().trim().split("\n").at(-1)!.split(" ");
      return { since: Number(since), variants: variants.join(" ") };
    },
  };
}

async function watchJava(): Promise<Watch> {
  // Not below the repository's own build folder: another test may be at that.
  const build = temporaryFolder();
  const pom = join(ROOT, "clients/java/pom.xml");
  const maven = ["-B", "-q", "-ntp", "-f", pom, `-DbuildDirectory=${build}`, "compile"];
  expect((await runProgram("mvn", maven)).code).toBe(0);
  const file = join(build, "Watch.java");
  writeFileSync(file, WATCH_JAVA);
  return watchProgram("Java", ["java", "-cp", join(build, "classes"), file]);
}

/** Changes the experiment and waits until every client has noticed; returns how long each took. */
async function change(action: "hold" | "resume", variants: string): Promise<readonly number[]> {
  const since = Date.now();
  const body = action === "hold" ? { reason: "complaints" } : undefined;
  const path = `/v1/experiments/${experiment}/${action}`;
  await expectOk(service.send("POST", path, { headers: access.session, body }));
  await until(
    `all clients notice ${action}`,
    () => watches.every((watch) => watch.last().variants === variants),
    SOON_MS,
  );
  return watches.map((watch) => watch.last().since - since);
}

test("clients that wait for changes obey a hold at once", async () => {
  watches.push(await watchTypescript());
  if (hasTools("the Python client's hold", ["python3"])) {
    const path = { PYTHONPATH: join(ROOT, "clients/python/src") };
    watches.push(watchProgram("Python", ["python3", "-c", WATCH_PYTHON], path));
  }
  if (hasTools("the Java client's hold", ["java", "mvn"])) watches.push(await watchJava());
  const running = () => watches.every((watch) => watch.last().variants === "control treatment");
  await until("all clients have the config", running);
  const times: (readonly number[])[] = [];
  for (let hold = 0; hold < 5; hold++) {
    times.push(await change("hold", "None"));
    await change("resume", "control treatment");
  }
  for (const [index, { name }] of watches.entries()) {
    const sorted = times.map((each) => each[index]!).sort((a, b) => a - b);
    console.info(
      `A hold reached the ${name} client after at most ${sorted.at(-1)} ms (${sorted.length} holds).`,
    );
  }
}, 300_000);
