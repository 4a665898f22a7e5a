const knownFields = new Set(["name", "email", "message", "website"]);
/** How many fields of the owner's own making a form may have, and how long what is in them. */
const maxExtra = { fields: 20, name: 60, value: 1000 };

/**
 * How many fields a form may send: more than its message takes, for those that are left empty are
 * sent, too.
 */
export const maxFormFields = knownFields.size + 3 * maxExtra.fields;

/**
 * What a form has sent, as the API takes it. A form may have fields of the owner's own making, a
 * telephone number for one: what is in them goes below the message.
 */
export function messageOfForm(body: unknown): unknown {
  if (typeof body !== "object" || body === null) return body;
  const entries = Object.entries(body);
  const own = entries.filter(([name]) => knownFields.has(name));
  const others = entries
    .filter(
      ([name, value]) => !knownFields.has(name) && typeof value === "string" && value.trim() !== "",
    )
    .slice(0, maxExtra.fields)
    .map(
      ([name, value]) =>
        `${name.slice(0, maxExtra.name)}: ${String(value).slice(0, maxExtra.value)}`,
    );
  const extra = Object.fromEntries(own);
  const { message } = extra as { message?: unknown };
  if (others.length === 0 || typeof message !== "string" || message.trim() === "") return extra;
  return { ...extra, message: `${message}\n\n${others.join("\n")}` };
}
