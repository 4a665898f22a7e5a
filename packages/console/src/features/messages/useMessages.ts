import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import type { MessageList, MessageView } from "../../../../server/src/features/contact/schema.ts";
import { useAnnounce, useClient } from "../../api/context.tsx";
import { formatCount } from "../../ui/format.ts";
import { type Address, pageIn } from "../../ui/search-params.ts";

export type Message = MessageView;

const api = "/api/adminmessages";
const listKey = ["messages", "list"] as const;

/** How many messages are on a page. */
export const perPage = 25;

/** What the address asks the list for. */
export function viewOf({ params }: Address) {
  const unread = params.has("unread");
  const q = params.get("q") ?? "";
  return { unread, q, page: pageIn(params), filtered: unread || q !== "" };
}

export type MessagesView = ReturnType<typeof viewOf>;

export function useMessages({ unread, q, page }: MessagesView) {
  const client = useClient();
  const query = { unread: unread || null, q, page, perPage };
  return useQuery({
    queryKey: [...listKey, query],
    queryFn: ({ signal }) => client.get<MessageList>(`${api}/list`, query, signal),
    placeholderData: keepPreviousData,
  });
}

interface Changed {
  changed: number;
  unread: number;
}

export function useMessageChanges() {
  const client = useClient();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const again = () => queries.invalidateQueries({ queryKey: listKey });
  const mark = useMutation({
    mutationFn: (body: { ids: number[]; read: boolean }) =>
      client.post<Changed>(`${api}/read`, body),
    onSuccess({ unread }, { ids, read }) {
      const readAt = read ? new Date().toISOString() : null;
      // In their places: what somebody is about to read must not move away.
      queries.setQueriesData<MessageList>({ queryKey: listKey }, (list) => {
        if (!list) return list;
        const items = list.items.map((item) =>
          ids.includes(item.id) ? Object.assign({}, item, { readAt }) : item,
        );
        return { ...list, items, unread };
      });
    },
  });
  const remove = useMutation({
    mutationFn: (items: readonly Message[]) =>
      client.post<Changed>(`${api}/delete`, { ids: items.map(({ id }) => id) }),
    onSuccess: ({ changed }) => announce(`${formatCount(changed, "message")} deleted.`),
    onSettled: again,
  });
  return { mark, remove };
}
