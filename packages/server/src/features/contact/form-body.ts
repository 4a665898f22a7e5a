const knownFields = new Set(["name", "email", "message", "website"]);
/** Limits for additional fields that the owner has added to a form: their number and lengths. */
const maxExtra = { fields: 20, name: 60, value: 1000 };

/** Maximum fields of a form: more than a message needs, because empty ones are sent, too. */
export const maxFormFields = knownFields.size + 3 * maxExtra.fields;

/**
 * Converts a submitted form to the API's input. Additional fields of the owner, such as a telephone
 * number, are appended to the message.
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
