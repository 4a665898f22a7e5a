// @vitest-environment jsdom
import { expect, test } from "vitest";

import type { DeliveryView } from "../../../../server/src/features/settings/email/schema.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import type { Client } from "../../api/client.ts";
import { render } from "../../api/test-render.tsx";
import { DeliveriesSection } from "./DeliveriesSection.tsx";
import { deliveriesKey, perPage } from "./useDeliveries.ts";

function email(id: number): DeliveryView {
  return {
    id,
    to: "ada@example.com",
    subject: `Mail ${id}`,
    purpose: "test",
    status: "sent",
    attempts: 1,
    failures: [],
    createdAt: "2026-01-01T00:00:00.000Z",
    sentAt: "2026-01-01T00:00:00.000Z",
    dueAt: null,
    canRetry: false,
  } as unknown as DeliveryView;
}

test("when the emails of the last page are gone, the previous page is shown", async () => {
  let total = perPage + 1;
  const get: Client["get"] = async <T,>(_path: string, query = {}) => {
    const page = Number((query as Record<string, unknown>)["page"]);
    const all = Array.from({ length: total }, (_, index) => email(index));
    return { items: all.slice((page - 1) * perPage, page * perPage), total, page, perPage } as T;
  };
  const { place, queries, button, close } = render(<DeliveriesSection />, { get });
  const said = (words: string) => eventually(() => expect(place.textContent).toContain(words));
  await said("Mail 0");
  button("Next").click();
  await said(`Mail ${perPage}`);
  total = perPage;
  await queries.refetchQueries({ queryKey: deliveriesKey });
  await said("Mail 0");
  close();
});
