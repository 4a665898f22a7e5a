import type { PasswordView } from "../../../../server/src/features/admin-auth/password/schema.ts";
import { useChange } from "../../api/useChange.ts";
import { useGet } from "../../api/useGet.ts";

export type { PasswordView };

const address = "/api/adminauth/password";
const queryKey = ["password"] as const;

/** Whether the admin has a password. */
export function usePassword() {
  return useGet<PasswordView>(queryKey, address);
}

/** Sets the first password, or changes it. */
export function useSavePassword() {
  return useChange<object, PasswordView>({
    send: (client, body) => client.post(address, body),
    updateCache: (queries, view) => queries.setQueryData(queryKey, view),
    announcement: () => "Password saved.",
  });
}
