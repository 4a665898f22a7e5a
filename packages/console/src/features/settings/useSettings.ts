import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import type { ModelView, TestedModel } from "../../../../server/src/features/agent/schema.ts";
import { useAnnounce, useClient } from "../../api/context.tsx";
import type { BudgetView } from "./budget-form.ts";
import type { EmailView } from "./email-form.ts";

const api = "/api/adminsettings";
const modelKey = ["settings", "model"] as const;
const budgetKey = ["settings", "budget"] as const;
const emailKey = ["settings", "email"] as const;

/** What a form edits must not change below it by itself. */
const still = { staleTime: Infinity, refetchOnWindowFocus: false } as const;

export function useModel() {
  const client = useClient();
  return useQuery({
    queryKey: modelKey,
    queryFn: ({ signal }) => client.get<ModelView>(`${api}/model`, {}, signal),
    ...still,
  });
}

/** What the test of a model shows, in a few words for who listens. */
function testAnnouncement({ test }: TestedModel): string {
  const can = [test.tools && "calls tools", test.images && "sees pictures"].filter(Boolean);
  return `The model answers${can.length > 0 ? `, ${can.join(" and ")}` : ""}.`;
}

export function useModelChanges() {
  const client = useClient();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const keep = (model: ModelView): void => {
    queries.setQueryData(modelKey, model);
    void queries.invalidateQueries({ queryKey: budgetKey });
  };
  const onSuccess = (tested: TestedModel): void => {
    keep(tested.model);
    announce(testAnnouncement(tested));
  };
  const save = useMutation({
    mutationFn: (body: Record<string, unknown>) => client.post<TestedModel>(`${api}/model`, body),
    onSuccess,
  });
  const test = useMutation({
    mutationFn: () => client.post<TestedModel>(`${api}/model/test`, {}),
    onSuccess,
  });
  const clear = useMutation({
    mutationFn: () => client.post<ModelView>(`${api}/model/clear`, {}),
    onSuccess(model) {
      keep(model);
      save.reset();
      test.reset();
      announce("The model is forgotten.");
    },
  });
  return { save, test, clear };
}

export function useBudget() {
  const client = useClient();
  return useQuery({
    queryKey: budgetKey,
    queryFn: ({ signal }) => client.get<BudgetView>(`${api}/budget`, {}, signal),
  });
}

export function useSaveBudget() {
  const client = useClient();
  const queries = useQueryClient();
  const announce = useAnnounce();
  return useMutation({
    mutationFn: (body: object) => client.post<BudgetView>(`${api}/budget`, body),
    onSuccess(budget) {
      queries.setQueryData(budgetKey, budget);
      announce("The budget is saved.");
    },
  });
}

export function useEmailSettings() {
  const client = useClient();
  return useQuery({
    queryKey: emailKey,
    queryFn: ({ signal }) => client.get<EmailView>(`${api}/email`, {}, signal),
    ...still,
  });
}

export interface EmailTest {
  by: "http" | "smtp" | "log";
  failures: string[];
}

export function useEmailChanges() {
  const client = useClient();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const save = useMutation({
    mutationFn: (body: object) => client.post<EmailView>(`${api}/email`, body),
    onSuccess(email) {
      queries.setQueryData(emailKey, email);
      announce("The mail settings are saved.");
    },
  });
  const test = useMutation({
    mutationFn: () => client.post<EmailTest>(`${api}/email/test`, {}),
  });
  return { save, test };
}
