import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import type {
  IdentityTest,
  IdentityView,
} from "../../../../server/src/features/settings/identity/schema.ts";
import type { ThemeView } from "../../../../server/src/features/settings/theme/schema.ts";
import type {
  AccountsView,
  AutofixTest,
  AutofixView,
  OwnerTest,
  OwnerView,
} from "../../../../server/src/features/settings/schema.ts";
import { useAnnounce, useClient } from "../../api/context.tsx";

export type { AccountsView, AutofixView, IdentityView, ThemeView, OwnerView };

const api = "/api/adminsettings";

interface Views {
  owner: OwnerView;
  theme: ThemeView;
  accounts: AccountsView;
  autofix: AutofixView;
  identity: IdentityView;
}

/** One of the settings as it is stored. What a form edits does not change below it by itself. */
export function useSetting<N extends keyof Views>(name: N) {
  const client = useClient();
  return useQuery({
    queryKey: ["settings", name],
    queryFn: ({ signal }) => client.get<Views[N]>(`${api}/${name}`, {}, signal),
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
}

/** Saves one of the settings and says `said`. */
export function useSaveSetting<N extends keyof Views>(name: N, said: string) {
  const client = useClient();
  const queries = useQueryClient();
  const announce = useAnnounce();
  return useMutation({
    mutationFn: (body: object) => client.post<Views[N]>(`${api}/${name}`, body),
    onSuccess(view) {
      queries.setQueryData(["settings", name], view);
      announce(said);
    },
  });
}

interface Tests {
  owner: OwnerTest;
  autofix: AutofixTest;
  identity: IdentityTest;
}

/** Tries one of the settings out; nothing is changed by it. */
export function useTestSetting<N extends keyof Tests>(name: N) {
  const client = useClient();
  return useMutation({
    mutationFn: (body: object) => client.post<Tests[N]>(`${api}/${name}/test`, body),
  });
}
