import { keepPreviousData } from "@tanstack/react-query";

import type { DeliveryView } from "../../../../server/src/features/settings/email/schema.ts";
import type { Page } from "../../api/types.ts";
import { useChange } from "../../api/useChange.ts";
import { useGet } from "../../api/useGet.ts";

const api = "/api/adminsettings/email/deliveries";
/** The key of all queries about deliveries. */
export const deliveriesKey = ["settings", "email", "deliveries"] as const;

/** How many deliveries are on a page. */
export const perPage = 10;
/** The polling interval while an email is being sent, in ms. */
const pollIntervalMs = 3000;

const isUnderWay = ({ status }: DeliveryView): boolean =>
  status === "waiting" || status === "sending";

/** The last deliveries, polled while one is in progress. */
export function useDeliveries(page: number) {
  const query = { page, perPage };
  return useGet<Page<DeliveryView>>([...deliveriesKey, query], api, query, {
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(isUnderWay) ? pollIntervalMs : false),
  });
}

export function useRetry() {
  return useChange<DeliveryView, DeliveryView>({
    send: (client, { id }) => client.post(`${api}/retry`, { id }),
    announcement: ({ to }) => `Email to ${to} queued again.`,
    awaited: [deliveriesKey],
  });
}
