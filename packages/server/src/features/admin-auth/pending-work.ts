import { html, type Markup } from "../../kit/html.ts";

/** How much there is for the owner to look at. */
export interface PendingWork {
  /** Tasks whose change goes live only when a person has looked at it. */
  review: number;
  /** Tasks that are worked on, and that wait for their turn. */
  running: number;
  queued: number;
  /** Messages of visitors that nobody has opened. */
  unread: number;
  /** Open errors of the site; null before it has been looked at once. */
  errors: number | null;
}

const counted = (count: number, one: string, many = `${one}s`): string =>
  count === 1 ? one : many;

function tile(href: string, count: number | null, label: string, note: string | null): Markup {
  return html`<li data-count="${count ?? "none"}">
    <a href="${href}"><b>${count ?? "–"}</b> <span>${label}</span></a>
    ${note === null ? null : html`<p class="muted">${note}</p>`}
  </li>`;
}

function queueNote({ running, queued }: PendingWork): string | null {
  const parts = [
    running > 0 ? `${running} at work` : null,
    queued > 0 ? `${queued} in the queue` : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(", ");
}

/** What waits for the owner, each with its number and the way there; nothing is a number too. */
export function pendingWorkList(pendingWork: PendingWork): Markup {
  const { review, unread, errors } = pendingWork;
  return html`<ul class="waits">
    ${tile(
      "/admin/tasks?column=needs_review",
      review,
      counted(review, "task to review", "tasks to review"),
      queueNote(pendingWork),
    )}
    ${tile("/admin/messages?unread=1", unread, counted(unread, "unread message"), null)}
    ${tile(
      errors ? "/admin/qa?severity=error" : "/admin/qa",
      errors,
      errors === null ? "QA has not run yet" : counted(errors, "QA error"),
      null,
    )}
  </ul>`;
}
