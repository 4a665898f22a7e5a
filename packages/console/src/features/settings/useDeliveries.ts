import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import type { DeliveryView } from "../../../../server/src/features/settings/email/schema.ts";
import { useAnnounce, useClient } from "../../api/context.tsx";
import type { Page } from "../../api/types.ts";

const api = "/api/adminsettings/email/deliveries";
/** What is under everything about deliveries. */
export const deliveriesKey = ["settings", "email", "deliveries"] as const;

/** How many deliveries are on a page. */
export const perPage = 10;
/** How often it is looked again while a mail is on its way, in ms. */
const pollIntervalMs = 3000;

const isUnderWay = ({ status }: DeliveryView): boolean =>
  status === "waiting" || status === "sending";

/** The last deliveries; looked at again and again while one is under way. */
export function useDeliveries(page: number) {
  const client = useClient();
  return useQuery({
    queryKey: [...deliveriesKey, page],
    queryFn: ({ signal }) => client.get<Page<DeliveryView>>(api, { page, perPage }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(isUnderWay) ? pollIntervalMs : false),
  });
}

export function useRetry() {
  const client = useClient();
  const queries = useQueryClient();
  const announce = useAnnounce();
  return useMutation({
    mutationFn: ({ id }: DeliveryView) => client.post<DeliveryView>(`${api}/retry`, { id }),
    onSuccess: ({ to }) => announce(`The mail to ${to} is sent again.`),
    onSettled: () => queries.invalidateQueries({ queryKey: deliveriesKey }),
  });
}
