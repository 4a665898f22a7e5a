const maxTextLength = 20_000;
const maxListItems = 200;

/** The values allowed at one place of a content file, inferred from the existing ones. */
export interface Shape {
  kinds: Set<string>;
  keys: Map<string, Shape>;
  item: Shape | null;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}

/** The common shape of these values; a key of one is a key of all. */
export function shapeOf(values: readonly unknown[]): Shape {
  const keys = new Map<string, unknown[]>();
  const items: unknown[] = [];
  for (const value of values) {
    if (Array.isArray(value)) for (const item of value) items.push(item);
    else if (typeof value === "object" && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        const found = keys.get(key);
        if (found) found.push(member);
        else keys.set(key, [member]);
      }
    }
  }
  return {
    kinds: new Set(values.map(kindOf)),
    keys: new Map([...keys].map(([key, members]) => [key, shapeOf(members)])),
    item: items.length > 0 ? shapeOf(items) : null,
  };
}

const link = /^(?:\/(?!\/)|https?:\/\/|mailto:|tel:|#)/i;
// oxlint-disable-next-line no-control-regex -- these are what no text may hold
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;

function textFault(key: string, text: string): string | null {
  if (text.length > maxTextLength) return `must be at most ${maxTextLength} characters`;
  if (control.test(text) || !text.isWellFormed()) return "can’t contain control characters";
  if ((key === "href" || key === "src") && text !== "" && !link.test(text)) {
    return "must start with /, https://, mailto:, tel: or #";
  }
  return null;
}

/**
 * What is wrong with a value, by its path in the file such as `story.0`; empty when nothing is. A value
 * has to be of the kind that already stands at its place, and has no keys that are unknown there.
 */
export function findFaults(value: unknown, shape: Shape, path = ""): Record<string, string> {
  const kind = kindOf(value);
  const key = path.slice(path.lastIndexOf(".") + 1);
  if (!shape.kinds.has(kind)) return { [path]: "has a different type than the page’s value" };
  if (typeof value === "string") {
    const fault = textFault(key, value);
    return fault === null ? {} : { [path]: fault };
  }
  const below = (name: string) => (path === "" ? name : `${path}.${name}`);
  // Without a prototype, so that a key called __proto__ is an ordinary key.
  const faults = Object.create(null) as Record<string, string>;
  if (Array.isArray(value)) {
    if (value.length > maxListItems) return { [path]: `must have at most ${maxListItems} entries` };
    for (const [index, item] of value.entries()) {
      if (shape.item === null)
        return {
          [path]:
            "can’t be changed here, because Vitrine doesn’t know the structure of its entries",
        };
      Object.assign(faults, findFaults(item, shape.item, below(String(index))));
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const known = shape.keys.get(name);
      if (known) Object.assign(faults, findFaults(member, known, below(name)));
      else faults[below(name)] = "isn’t a field of this page";
    }
  }
  return faults;
}
