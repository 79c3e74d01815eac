import { CommandError } from "./command-error.ts";
import { explainError } from "./explain-error.ts";
import { hidePasswords } from "./hide-passwords.ts";

type Command = (args: readonly string[]) => Promise<void>;

/** Each command loads only what it needs: commands that just call the service do not wait for the service's code to load. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import("./commands/serve.ts")).serve,
  demo: async () => (await import("./demo/demo.ts")).demo,
  migrate: async () => (await import("./commands/migrate.ts")).migrate,
  import: async () => (await import("./commands/import.ts")).importFile,
  plan: async () => (await import("./commands/plan.ts")).plan,
  analyze: async () => (await import("./commands/analyze.ts")).analyze,
  replay: async () => (await import("./commands/replay.ts")).replay,
  rehearse: async () => (await import("./commands/rehearse.ts")).rehearse,
  nightly: async () => (await import("./commands/nightly.ts")).nightly,
  hold: async () => (await import("./commands/hold.ts")).hold,
  resume: async () => (await import("./commands/hold.ts")).resume,
  holdback: async () => (await import("./commands/holdback.ts")).holdback,
  datasets: async () => (await import("./commands/datasets.ts")).datasets,
  types: async () => (await import("./commands/types.ts")).types,
  "session-token": async () => (await import("./commands/session-token.ts")).sessionToken,
  "reset-passkeys": async () => (await import("./commands/reset-passkeys.ts")).resetPasskeys,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
};

const USAGE = `Usage: npm run assay -- <command>

  serve                          run the service
  demo                           run two experiments end to end in a temporary folder
  migrate [--cluster NAME] [--from DIR]
                                 bring the schemas of the stores up to date; with --cluster, create new tables for
                                 events on that ClickHouse cluster; with --from, copy a data folder to the three server
                                 engines
  import FILE [--format csv|json|ndjson] [--dry-run]
                                 import events from a file (.csv, .json, .ndjson or .jsonl, optionally with .gz)
  plan EXPERIMENT|--file FILE [--users-per-day N] [--days N] [--target-effect SHARE] [--metrics NAME,...]
       [--baselines NAME=VALUE[:SD],...] [--power P] [--alpha A] [--json]
                                 print how many users and days an experiment needs, and what smaller units would gain; of
                                 one that is not stored, FILE has the configuration in JSON
  analyze EXPERIMENT [--day YYYY-MM-DD]
                                 run a preliminary analysis (id or name) and print it; with --day, run that past night
                                 again
  replay EXPERIMENT              split its control arm at random a thousand times and print how its metrics behave (A/A)
  rehearse FILE [--junit FILE] [--markdown FILE] [--data DIR]
                                 run the rehearsal that a YAML file describes and print its verdicts; exits with 0 (not
                                 worse), 1 (worse), 2 (undecided), 3 (invalid) or 4 (it could not be run); with --data,
                                 without a running service, in that data folder
  nightly [--day YYYY-MM-DD] [--from YYYY-MM-DD]
                                 run the nightly pipeline for a UTC day (default: yesterday), or for every day since --from
  hold EXPERIMENT [--reason TEXT]
                                 give nobody a variant until the experiment is resumed
  resume EXPERIMENT              give users of a held experiment their variants again
  holdback EXPERIMENT [--end]    print whether the lift of a shipped variant lasts; with --end, give the variant to those who kept
                                 control, too
  datasets list                  list the datasets
  datasets upload FILE --name NAME [--format jsonl|csv|openai-evals|promptfoo|inspect|langfuse]
                                 make a dataset of a file's inputs, optionally with .gz
  datasets draw EXPERIMENT --name NAME --from INSTANT --until INSTANT --items N
                                 make a dataset of an experiment's calls, drawn at random
  types [--out FILE] [--language typescript|python|java] [--package NAME]
                                 write the names of your experiments, variants, variables and business metrics as types, in
                                 the language of the file's ending (default: typescript); in Java as constants of the class
                                 Experiments in that package (default: experiments)
  session-token [--email E] [--org O] [--role R]
                                 print a session JWT of the local identity (default: the owner's)
  reset-passkeys EMAIL [--org O] remove a person's passkeys and end their sessions (local identity)
  doctor                         check every dependency and explain how to fix what is wrong

import, plan, analyze, replay, rehearse, nightly, hold, resume, holdback, datasets and types talk to the running service at ASSAY_HOST and
ASSAY_PORT. All but import call it with the service token in ASSAY_TOKEN; with the local identity they need none.`;

// Only this user can read the files that a command and its children write.
process.umask(0o077);

const [name, ...args] = process.argv.slice(2);
const load = name === undefined ? undefined : commands[name];
if (load) {
  const command = await load();
  await command(args).catch((error: unknown) => {
    console.error(`assay: ${hidePasswords(explainError(error))}`);
    process.exit(error instanceof CommandError ? error.exitCode : 1);
  });
} else {
  const isHelp = name === "help" || name === "--help";
  console.error(name === undefined || isHelp ? USAGE : `assay: "${name}" is not a command.\n\n${USAGE}`);
  process.exit(isHelp ? 0 : 2);
}
