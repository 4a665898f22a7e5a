import type {
  ApiToken,
  CreatedToken,
} from "../../../../server/src/features/admin-auth/tokens/schema.ts";
import { useWholeList } from "../../api/fetch-all-pages.ts";
import { useChange } from "../../api/useChange.ts";

export type { CreatedToken };

const api = "/api/admintokens";
const listKey = ["tokens", "list"] as const;

/** A token that is revoked may have the name of one that is not. */
const keyOf = ({ name, createdAt }: ApiToken): string => `${createdAt} ${name}`;

export function useTokens() {
  return useWholeList<ApiToken>(listKey, `${api}/list`, keyOf);
}

export function useTokenChanges() {
  const awaited = [listKey];
  const create = useChange<object, CreatedToken>({
    send: (client, body) => client.post(`${api}/create`, body),
    // The token itself is kept by whoever shows it, and nowhere else.
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
