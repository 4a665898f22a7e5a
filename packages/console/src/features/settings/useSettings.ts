import { useQueryClient } from "@tanstack/react-query";

import type {
  BudgetView,
  ModelView,
  TestedModel,
} from "../../../../server/src/features/agent/schema.ts";
import type { EmailView } from "../../../../server/src/features/settings/email/schema.ts";
import type {
  IdentityTest,
  IdentityView,
} from "../../../../server/src/features/settings/identity/schema.ts";
import type { ThemeView } from "../../../../server/src/features/settings/theme/schema.ts";
import type {
  AccountsView,
  AutofixTest,
  AutofixView,
  ChangelogView,
  OwnerTest,
  OwnerView,
  TasksView,
  UpdatesView,
} from "../../../../server/src/features/settings/schema.ts";
import { useChange } from "../../api/useChange.ts";
import { useGet } from "../../api/useGet.ts";
import { expectRebuild } from "../rebuild/RebuildBanner.tsx";

export type {
  AccountsView,
  AutofixView,
  ChangelogView,
  IdentityView,
  ThemeView,
  OwnerView,
  TasksView,
  UpdatesView,
};

const api = "/api/adminsettings";
const keyOf = (name: keyof Views) => ["settings", name] as const;

interface Views {
  owner: OwnerView;
  theme: ThemeView;
  model: ModelView;
  budget: BudgetView;
  email: EmailView;
  accounts: AccountsView;
  autofix: AutofixView;
  changelog: ChangelogView;
  tasks: TasksView;
  updates: UpdatesView;
  identity: IdentityView;
}

/** The data under a form must not change automatically. */
const still = { staleTime: Infinity, refetchOnWindowFocus: false } as const;

/** A stored setting; the budget's usage is refetched. */
export function useSetting<N extends keyof Views>(name: N) {
  return useGet<Views[N]>(keyOf(name), `${api}/${name}`, {}, name === "budget" ? {} : still);
}

/** Settings that the site's pages show, so that changes rebuild them. */
const shownOnPages: ReadonlySet<keyof Views> = new Set(["owner", "theme", "accounts", "email"]);

/** Saves a setting and announces `said`. */
export function useSaveSetting<N extends keyof Views>(name: N, said: string) {
  return useChange<object, Views[N]>({
    send: (client, body) => client.post(`${api}/${name}`, body),
    updateCache(queries, view) {
      queries.setQueryData(keyOf(name), view);
      if (shownOnPages.has(name)) expectRebuild(queries);
    },
    announcement: () => said,
  });
}

/** How a test email was sent, and why earlier transports failed. */
export interface EmailTest {
  by: "http" | "smtp" | "log";
  failures: string[];
}

interface Tests {
  owner: OwnerTest;
  autofix: AutofixTest;
  identity: IdentityTest;
  email: EmailTest;
}

/** Tests a setting without changing anything. */
export function useTestSetting<N extends keyof Tests>(name: N) {
  return useChange<object, Tests[N]>({
    send: (client, body) => client.post(`${api}/${name}/test`, body),
  });
}

/** The result of a model's test as an announcement. */
function testAnnouncement({ test }: TestedModel): string {
  const can = [test.tools && "calls tools", test.images && "sees images"].filter(Boolean);
  return `The model responds${can.length > 0 ? `, ${can.join(" and ")}` : ""}.`;
}

/** Saves a model after testing it, tests it again, and removes it. */
export function useModelChanges() {
  const queries = useQueryClient();
  const keep = (model: ModelView): void => {
    queries.setQueryData(keyOf("model"), model);
    void queries.invalidateQueries({ queryKey: keyOf("budget") });
  };
  const tested = {
    updateCache: (_: unknown, { model }: TestedModel) => keep(model),
    announcement: testAnnouncement,
  };
  const save = useChange<object, TestedModel>({
    ...tested,
    send: (client, body) => client.post(`${api}/model`, body),
  });
  const test = useChange<void, TestedModel>({
    ...tested,
    send: (client) => client.post(`${api}/model/test`, {}),
  });
  const clear = useChange<void, ModelView>({
    send: (client) => client.post(`${api}/model/clear`, {}),
    updateCache(_, model) {
      keep(model);
      save.reset();
      test.reset();
    },
    announcement: () => "Model removed.",
  });
  return { save, test, clear };
}
