import "./deliveries.css";

import { type ReactElement, useEffect, useRef, useState } from "react";

import type { DeliveryView } from "../../../../server/src/features/settings/mail/schema.ts";
import { asApiError } from "../../api/client.ts";
import { Button } from "../../ui/Button.tsx";
import { QueryError } from "../shared/QueryError.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Pagination } from "../../ui/Pagination.tsx";
import { Skeleton } from "../../ui/Skeleton.tsx";
import { Time } from "../shared/Time.tsx";
import { purposeLabels, statusWords } from "./delivery-labels.ts";
import { perPage, useDeliveries, useRetry } from "./useDeliveries.ts";

function Failures({ failures }: Pick<DeliveryView, "failures">): ReactElement | null {
  if (failures.length === 0) return null;
  return (
    <details className="delivery-failures">
      <summary>Why it was not taken</summary>
      <ol>
        {failures.map((failure, at) => (
          // The same words can stand there several times.
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
          <span className="delivery-status">{statusWords(delivery)}</span>
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
        {retry.isError && (
          <Notice kind="error" title="It is not sent again.">
            {asApiError(retry.error).message}
          </Notice>
        )}
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

/** What became of the mails of the last 30 days. */
export function DeliveriesSection(): ReactElement {
  const [page, setPage] = useState(1);
  const query = useDeliveries(page);
  const { data, error, isPlaceholderData } = query;
  const last = data ? Math.max(1, Math.ceil(data.total / perPage)) : page;
  // Mails are forgotten after a while: the page before it is the last one then.
  if (page > last && !isPlaceholderData) setPage(last);
  const section = useRef<HTMLElement>(null);
  const isThere = data !== undefined;
  useEffect(() => {
    // What is above it has its height only now.
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
      <h3 id="deliveries-title">Last deliveries</h3>
      <p className="muted">
        What mails say is sealed until they have left, and erased then. One that nobody took can be
        sent again for a week.
      </p>
      {error && <QueryError what="The deliveries" query={query} />}
      {!data && !error && <Skeleton count={3} shape="row" label="The deliveries are loading…" />}
      {data?.total === 0 && <p className="muted">No mail has been sent in the last 30 days.</p>}
      {data && data.items.length > 0 && (
        <ol className="delivery-list">
          {data.items.map((delivery) => (
            <Delivery key={delivery.id} delivery={delivery} />
          ))}
        </ol>
      )}
      {data && (
        <Pagination
          noun="mails"
          page={page}
          perPage={perPage}
          total={data.total}
          onPage={setPage}
        />
      )}
    </section>
  );
}
