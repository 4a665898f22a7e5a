import "./deliveries.css";

import { type ReactElement, useEffect, useRef, useState } from "react";

import type { DeliveryView } from "../../../../server/src/features/settings/email/schema.ts";
import { Button } from "../../ui/Button.tsx";
import { Pagination } from "../../ui/Pagination.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { QueryBody } from "../queries/QueryBody.tsx";
import { Time } from "../time/Time.tsx";
import { purposeLabels, statusLabels } from "./delivery-labels.ts";
import { perPage, useDeliveries, useRetry } from "./useDeliveries.ts";

function Failures({ failures }: Pick<DeliveryView, "failures">): ReactElement | null {
  if (failures.length === 0) return null;
  return (
    <details className="delivery-failures">
      <summary>Why it wasn’t delivered</summary>
      <ol>
        {failures.map((failure, at) => (
          // The same text can occur several times.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={at}>{failure}</li>
        ))}
      </ol>
    </details>
  );
}

function Delivery({ delivery }: { delivery: DeliveryView }): ReactElement {
  const retry = useRetry();
  const { to, subject, status, dueAt } = delivery;
  return (
    <li className="delivery" data-status={status}>
      <div className="delivery-words">
        <p className="delivery-subject">{subject}</p>
        <p className="muted">
          {purposeLabels(delivery)} · to {to}
        </p>
        <p>
          <span className="delivery-status">{statusLabels(delivery)}</span>
          <span className="muted">
            {" · "}
            <Time iso={delivery.sentAt ?? delivery.createdAt} />
          </span>
          {dueAt !== null && delivery.attempts > 0 && (
            <span className="muted">
              {" · next attempt "}
              <Time iso={dueAt} />
            </span>
          )}
        </p>
        <Failures failures={delivery.failures} />
        <ErrorState what="It won’t be sent again." error={retry.error} />
      </div>
      {delivery.canRetry && (
        <Button
          icon="reload"
          busy={retry.isPending}
          label={`Send again: ${subject}, to ${to}`}
          onClick={() => retry.mutate(delivery)}
        >
          Send again
        </Button>
      )}
    </li>
  );
}

/** The emails of the last 30 days and their delivery status. */
export function DeliveriesSection(): ReactElement {
  const [page, setPage] = useState(1);
  const query = useDeliveries(page);
  const { data, isPlaceholderData } = query;
  const last = data ? Math.max(1, Math.ceil(data.total / perPage)) : page;
  // Emails are deleted after a while, so the previous page may then be the last one.
  if (page > last && !isPlaceholderData) setPage(last);
  const section = useRef<HTMLElement>(null);
  const isThere = data !== undefined;
  useEffect(() => {
    // The content above has its height only now.
    if (isThere && location.hash === "#deliveries") section.current?.scrollIntoView();
  }, [isThere]);
  return (
    <section
      ref={section}
      className="deliveries"
      id="deliveries"
      aria-labelledby="deliveries-title"
      tabIndex={-1}
    >
      <h3 id="deliveries-title">Recent deliveries</h3>
      <p className="muted">
        Emails are stored encrypted until they’re sent, then erased. You can resend an undelivered
        email for a week.
      </p>
      <QueryBody
        query={query}
        what="the deliveries"
        skeleton={{ count: 3, shape: "row", label: "Loading deliveries…" }}
      >
        {({ items, total }) => (
          <>
            {total === 0 && <p className="muted">No emails sent in the last 30 days.</p>}
            {items.length > 0 && (
              <ol className="delivery-list">
                {items.map((delivery) => (
                  <Delivery key={delivery.id} delivery={delivery} />
                ))}
              </ol>
            )}
            <Pagination noun="mails" page={page} perPage={perPage} total={total} onPage={setPage} />
          </>
        )}
      </QueryBody>
    </section>
  );
}
