import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import type {
  ApiToken,
  CreatedToken,
} from "../../../../server/src/features/admin-auth/tokens/schema.ts";
import { useAnnounce, useClient } from "../../api/context.tsx";
import { fetchAllPages } from "../../api/fetch-all-pages.ts";

export type { CreatedToken };

const api = "/api/admintokens";
const listKey = ["tokens", "list"] as const;

/** A token that is revoked may have the name of one that is not. */
const keyOf = ({ name, createdAt }: ApiToken): string => `${createdAt} ${name}`;

export function useTokens() {
  const client = useClient();
  return useQuery({
    queryKey: listKey,
    queryFn: ({ signal }) => fetchAllPages<ApiToken>(client, `${api}/list`, { keyOf, signal }),
  });
}

export function useTokenChanges() {
  const client = useClient();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const onSettled = () => queries.invalidateQueries({ queryKey: listKey });
  const create = useMutation({
    mutationFn: (body: object) => client.post<CreatedToken>(`${api}/create`, body),
    // The token itself is kept by whoever shows it, and nowhere else.
    gcTime: 0,
    onSettled,
  });
  const revoke = useMutation({
    mutationFn: ({ name }: { name: string }) => client.post(`${api}/revoke`, { name }),
    onSuccess: (_, { name }) => announce(`“${name}” is revoked.`),
    onSettled,
  });
  return { create, revoke };
}
