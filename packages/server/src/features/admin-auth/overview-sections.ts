import { html, type Markup } from "../../kit/html.ts";

/** A sentence about something and its count, and the page that shows or resolves it. */
export interface PanelItem {
  kind: string;
  count: number;
  text: string;
  href: string;
}

interface Spending {
  tokens: number;
  cost: number | null;
}

type SpendingByOrigin = Record<"runs" | "tasks" | "other", Spending>;

/** What needs the owner, what is new, and what it cost. */
export interface PanelNews {
  attention: readonly PanelItem[];
  queue: { running: number; queued: number } | null;
  since: string | null;
  news: readonly PanelItem[];
  cost: {
    currency: string | null;
    month: SpendingByOrigin;
    ceiling: { tokens: number | null; cost: number | null };
    sinceVisit: SpendingByOrigin | null;
  } | null;
  /** The parts that can't be read at the moment. */
  unavailable: readonly string[];
}

function itemList(items: readonly PanelItem[], className: string): Markup {
  return html`<ul class="${className}">
    ${items.map(
      ({ kind, text, href }) => html`<li data-kind="${kind}"><a href="${href}">${text}</a></li>`,
    )}
  </ul>`;
}

const queueTexts = ({ running, queued }: NonNullable<PanelNews["queue"]>): string[] => [
  ...(running > 0 ? [`${running} ${running === 1 ? "task" : "tasks"} running`] : []),
  ...(queued > 0 ? [`${queued} queued`] : []),
];

/** Names the parts that can't be read, so that they don't look empty. */
function unavailableNotice(parts: readonly string[]): Markup | null {
  if (parts.length === 0) return null;
  return html`<p class="muted" role="alert">
    Couldn’t load: ${parts.join(", ")}. <a href="/admin">Try again</a>
  </p>`;
}

/** What needs the owner first, each with a link to the page that resolves it. */
export function attentionSection({ attention, queue, unavailable }: PanelNews): Markup {
  const busy = queue ? queueTexts(queue) : [];
  return html`${
    attention.length > 0
      ? itemList(attention, "attention")
      : unavailable.length > 0
        ? null
        : html`<p class="said">Nothing needs your attention.</p>`
  }
  ${busy.length > 0 ? html`<p class="muted"><a href="/admin/tasks">${busy.join(", ")}</a></p>` : null}
  ${unavailableNotice(unavailable)}`;
}

/** What has happened since the last visit; `time` formats its time. */
export function newsSection(
  { since, news, unavailable }: PanelNews,
  time: (iso: string) => Markup,
): Markup {
  if (since === null) {
    if (unavailable.includes("visits")) {
      return html`<p class="muted">Couldn’t load your last visit.</p>`;
    }
    return html`<p class="muted">
      This is your first visit. Next time, you’ll see what has happened since.
    </p>`;
  }
  return html`${news.length > 0 ? itemList(news, "happened") : html`<p class="said">Nothing new.</p>`}
    <p class="muted">You were last here ${time(since)}.</p>`;
}

function formatMoney(cost: number, currency: string | null): string {
  const digits = cost > 0 && cost < 0.01 ? 4 : 2;
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  if (currency === null || !/^[A-Z]{3}$/.test(currency)) return cost.toLocaleString("en", options);
  return cost.toLocaleString("en", { ...options, style: "currency", currency });
}

const formatTokens = (tokens: number): string =>
  `${tokens.toLocaleString("en-GB")} ${tokens === 1 ? "token" : "tokens"}`;

function sum(all: SpendingByOrigin): Spending {
  const each = [all.runs, all.tasks, all.other];
  const costs = each.flatMap(({ cost }) => cost ?? []);
  return {
    tokens: each.reduce((total, { tokens }) => total + tokens, 0),
    cost: costs.length === 0 ? null : costs.reduce((total, cost) => total + cost, 0),
  };
}

function formatSpending({ tokens, cost }: Spending, currency: string | null): string {
  const money = cost === null ? [] : [formatMoney(cost, currency)];
  return [...money, formatTokens(tokens)].join(", ");
}

function ceilingText({ ceiling, currency }: NonNullable<PanelNews["cost"]>): string {
  const parts = [
    ...(ceiling.cost === null ? [] : [formatMoney(ceiling.cost, currency)]),
    ...(ceiling.tokens === null ? [] : [formatTokens(ceiling.tokens)]),
  ];
  return parts.length === 0 ? "No monthly limit" : `Monthly limit: ${parts.join(", ")}`;
}

const originNames = { runs: "Runs", tasks: "Tasks", other: "Other" } as const;

/** How much of a sum runs and tasks used; nothing if only one of them, or neither, used any. */
function breakdown(all: SpendingByOrigin, currency: string | null): Markup | null {
  const used = (["runs", "tasks", "other"] as const).filter((origin) => all[origin].tokens > 0);
  if (used.length === 0) return null;
  const parts = used.map(
    (origin) => `${originNames[origin]}: ${formatSpending(all[origin], currency)}`,
  );
  return html`<span class="muted">${parts.join(" · ")}</span>`;
}

/** The cost of models this month, with its limit, and since the last visit. */
export function costSection({ cost }: PanelNews): Markup {
  if (cost === null) return html`<p class="muted">Couldn’t load the costs.</p>`;
  const { month, sinceVisit, currency } = cost;
  return html`<dl class="cost">
    <div>
      <dt>This month</dt>
      <dd>
        ${formatSpending(sum(month), currency)} ${breakdown(month, currency)}
        <a href="/admin/settings#budgets">${ceilingText(cost)}</a>
      </dd>
    </div>
    ${
      sinceVisit === null
        ? null
        : html`<div>
            <dt>Since your last visit</dt>
            <dd>${formatSpending(sum(sinceVisit), currency)} ${breakdown(sinceVisit, currency)}</dd>
          </div>`
    }
  </dl>`;
}
