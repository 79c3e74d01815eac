import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import type { WhoAmI } from "../api/types.ts";
import { STATES } from "../format/states.ts";
import { useLoadDemo } from "../pages/experiments/Demo.tsx";
import { membersQuery } from "../pages/settings/queries.ts";
import { announce } from "../ui/announce.ts";
import { saveTables } from "../ui/tables-as-csv.ts";
import type { Command, CommandAction, Known } from "./find-commands.ts";
import { isAdmin } from "./use-me.ts";
import { useSignOut } from "./use-sign-out.ts";

/** Loads what the palette can find, when it opens. Every role may read these lists. */
export function useKnown(me: WhoAmI): { readonly known: Known; readonly isLoading: boolean } {
  const overview = useQuery(queries.overview());
  const metrics = useQuery(queries.metrics());
  const members = useInfiniteQuery(membersQuery());
  const experiments = overview.data?.items ?? [];
  const people = members.data?.pages.flatMap(({ items }) => items) ?? [];
  const shared = (metrics.data?.items ?? []).filter(({ definition }) => definition.shared_org_wide);
  return {
    isLoading: overview.isPending || metrics.isPending || members.isPending,
    known: {
      isPlatformOwner: me.platform_owner,
      isAdmin: isAdmin(me),
      mayLoadDemo: overview.isSuccess && !experiments.some(({ is_demo }) => is_demo),
      experiments: experiments.map(({ id, name, state }) => ({ id, name, state: STATES[state].word })),
      metrics: shared.map(({ definition: { name, display_name } }) => ({
        name,
        title: display_name ?? null,
      })),
      people: people.map(({ user_id: id, name, email }) => ({ id, name, email })),
    },
  };
}

/** Returns the function that runs a command. The palette may close before it ends, so the outcome is announced. */
export function useRunCommand(onListKeys: () => void): (command: Command) => void {
  const navigate = useNavigate();
  const signOut = useSignOut();
  const demo = useLoadDemo((problem) => announce(`The demo was not loaded. ${problem.message}`));
  const acts: Readonly<Record<CommandAction, () => void>> = {
    "load-demo": () => {
      announce("Loading the demo…");
      demo.mutate("support-tone");
      void navigate({ to: "/" });
    },
    "save-tables": saveTables,
    "list-keys": onListKeys,
    "sign-out": () => signOut.mutate(),
  };
  return ({ does }) => {
    if ("act" in does) acts[does.act]();
    else void navigate({ to: does.to });
  };
}
