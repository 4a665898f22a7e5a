import type { SetupView } from "../../../../server/src/features/setup/schema.ts";
import { useChange } from "../../api/useChange.ts";
import { useGet } from "../../api/useGet.ts";

export type { SetupView };
export type Answers = SetupView["answers"];
type AnswersPatch = { [Name in keyof Answers]?: Answers[Name] | null };

const queryKey = ["setup"] as const;

/** The answers so far, and what is left of the sample person. */
export function useSetup() {
  return useGet<SetupView>(queryKey, "/api/adminsetup/get");
}

/** Saves answers without changing the site. */
export function useSaveAnswers() {
  return useChange<AnswersPatch, SetupView>({
    send: (client, answers) => client.post("/api/adminsetup/answers", answers),
    updateCache: (queries, view) => queries.setQueryData(queryKey, view),
    announcement: () => "Saved.",
  });
}

/** Starts the run that applies the answers. */
export function useStartSetup() {
  return useChange<void, { runId: string }>({
    send: (client) => client.post("/devconsole/setup", {}),
    announcement: () => "Building a preview…",
    awaited: [queryKey],
  });
}

/** Starts the run that changes the name on the site's pages. */
export function useRenameSite() {
  return useChange<string, { runId: string }>({
    send: (client, name) => client.post("/devconsole/site-name", { name }),
    announcement: () => "Building a preview…",
    awaited: [queryKey],
  });
}
