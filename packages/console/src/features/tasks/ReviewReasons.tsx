import type { ReactElement } from "react";

import type { ReviewReason } from "../../api/types.ts";
import { Icon } from "../../ui/Icon.tsx";
import { plainText } from "../../ui/plain-text.ts";

/** Why a change needs review, with the items of each reason. */
export function ReviewReasons({ review }: { review: readonly ReviewReason[] }): ReactElement {
  return (
    <ul className="review-reasons">
      {review.map(({ kind, message, items }) => (
        <li key={`${kind} ${message}`} data-kind={kind}>
          <Icon name="warning" />
          <div>
            <p>{plainText(message)}</p>
            {items.length > 0 && (
              <ul className="review-items">
                {items.map((item) => (
                  <li key={item}>{plainText(item)}</li>
                ))}
              </ul>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}
