import type { MessageList, MessageView } from "../../../../server/src/features/contact/schema.ts";
import { useChange } from "../../api/useChange.ts";
import { useListPage } from "../../api/useGet.ts";
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
  const query = { unread: unread || null, q, page, perPage };
  return useListPage<MessageList>(listKey, `${api}/list`, query);
}

interface Changed {
  changed: number;
  unread: number;
}

export function useMessageChanges() {
  const mark = useChange<{ ids: number[]; read: boolean }, Changed>({
    send: (client, body) => client.post(`${api}/read`, body),
    updateCache(queries, { unread }, { ids, read }) {
      const readAt = read ? new Date().toISOString() : null;
      // They keep their places, so that nothing moves away from the reader.
      queries.setQueriesData<MessageList>({ queryKey: listKey }, (list) => {
        if (!list) return list;
        const items = list.items.map((item) =>
          ids.includes(item.id) ? Object.assign({}, item, { readAt }) : item,
        );
        return { ...list, items, unread };
      });
    },
  });
  const remove = useChange<readonly Message[], Changed>({
    send: (client, items) => client.post(`${api}/delete`, { ids: items.map(({ id }) => id) }),
    announcement: ({ changed }) => `${formatCount(changed, "message")} deleted.`,
    awaited: [listKey],
  });
  return { mark, remove };
}
