import type {
  ApiToken,
  CreatedToken,
} from "../../../../server/src/features/admin-auth/tokens/schema.ts";
import { useWholeList } from "../../api/fetch-all-pages.ts";
import { useChange } from "../../api/useChange.ts";

export type { CreatedToken };

const api = "/api/admintokens";
const listKey = ["tokens", "list"] as const;

/** A revoked token may have the same name as a live one. */
const keyOf = ({ name, createdAt }: ApiToken): string => `${createdAt} ${name}`;

export function useTokens() {
  return useWholeList<ApiToken>(listKey, `${api}/list`, keyOf);
}

export function useTokenChanges() {
  const awaited = [listKey];
  const create = useChange<object, CreatedToken>({
    send: (client, body) => client.post(`${api}/create`, body),
    // Only the dialog that shows the token keeps it.
    gcTime: 0,
    awaited,
  });
  const revoke = useChange<{ name: string }>({
    send: (client, { name }) => client.post(`${api}/revoke`, { name }),
    announcement: (_, { name }) => `“${name}” revoked.`,
    awaited,
  });
  return { create, revoke };
}
