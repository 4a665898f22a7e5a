import { html, type Markup } from "../../../kit/html.ts";
import type { SessionView } from "../account.ts";
import { describeDevice } from "./describe-device.ts";
import type { Overview, PageSettings } from "./page.ts";
import { hiddenInput } from "./form-fields.ts";

function time(iso: string, timeZone: string): Markup {
  const words = new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZone,
    timeZoneName: "short",
  }).format(new Date(iso));
  return html`<time datetime="${iso}">${words}</time>`;
}

/** How a session was started. */
function signInMethodLabel(method: string, { providers }: PageSettings): string {
  if (method === "password") return "with a password";
  if (method === "invite") return "with an invitation";
  return `with ${providers.find(({ id }) => id === method)?.name ?? method}`;
}

function session(at: Overview, view: SessionView): Markup {
  const device = describeDevice(view.userAgent);
  const facts = html`<p class="field-note">
    Signed in ${signInMethodLabel(view.method, at)} on ${time(view.createdAt, at.timeZone)}. Last
    active ${time(view.lastSeenAt, at.timeZone)} from ${view.ip}.
  </p>`;
  if (view.current) {
    return html`<li>
      <div>
        <p><b>${device}</b> (this device)</p>
        ${facts}
      </div>
    </li>`;
  }
  return html`<li>
    <div>
      <p><b>${device}</b></p>
      ${facts}
    </div>
    <form method="post" action="/account/sessions">
      ${hiddenInput("id", view.id)}<button class="button" aria-label="Sign out: ${device}">
        Sign out
      </button>
    </form>
  </li>`;
}

/** The browsers that a user is signed in with. */
export function sessionList(at: Overview): Markup {
  const others = at.sessions.filter(({ current }) => !current);
  return html`<ul class="account-list" role="list">
      ${at.sessions.map((view) => session(at, view))}
    </ul>
    ${
      others.length > 1
        ? html`<form method="post" action="/account/sessions">
            <button class="button" name="others" value="1">Sign out of all other devices</button>
          </form>`
        : null
    }`;
}

function provider(at: Overview, { id, name }: { id: string; name: string }): Markup {
  const linked = at.linked.find((one) => one.provider === id);
  if (!linked) {
    return html`<li>
      <p><b>${name}</b></p>
      <form method="post" action="/account/link/${id}">
        <button class="button" aria-label="Link ${name}">Link</button>
      </form>
    </li>`;
  }
  return html`<li>
    <div>
      <p><b>${name}</b>${linked.email ? html`, as ${linked.email}` : null}</p>
      <p class="field-note">Linked ${time(linked.linkedAt, at.timeZone)}</p>
    </div>
    <form method="post" action="/account/unlink/${id}">
      <button class="button" aria-label="Unlink ${name}">Unlink</button>
    </form>
  </li>`;
}

/** Providers that can be linked, and linked ones that are no longer offered. */
export function providersSection(at: Overview): Markup | null {
  const known = new Set(at.providers.map(({ id }) => id));
  const former = at.linked.filter(({ provider: id }) => !known.has(id));
  const all = [...at.providers, ...former.map(({ provider: id, name }) => ({ id, name }))];
  if (all.length === 0) return null;
  return html`<section class="rail" aria-labelledby="ways">
    <h2 id="ways">Other ways to sign in</h2>
    <div>
      <ul class="account-list" role="list">
        ${all.map((one) => provider(at, one))}
      </ul>
    </div>
  </section>`;
}
