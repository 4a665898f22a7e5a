/** Properties of components, read from their source without running it. */

const maxPropsLength = 360;

function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:"'`])\/\/[^\n]*/g, "$1");
}

/** The text between a brace and its closing brace; null if it isn't closed. */
function braced(code: string, open: number): string | null {
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    if (code[at] === "{") depth += 1;
    if (code[at] !== "}") continue;
    depth -= 1;
    if (depth === 0) return code.slice(open + 1, at);
  }
  return null;
}

function declared(code: string): string | null {
  const start = /\b(?:interface\s+Props\b[^{]*|type\s+Props\s*=\s*)\{/.exec(code);
  return start === null ? null : braced(code, start.index + start[0].length - 1);
}

function destructured(code: string): string | null {
  return /\b(?:const|let)\s*\{([^;]*?)\}\s*(?::[^=;]+)?=\s*Astro\.props\b/.exec(code)?.[1] ?? null;
}

/**
 * The properties of an Astro component as declared in its source (`interface Props`, `type Props`,
 * or destructured from `Astro.props`), on one line of at most 360 characters, with `<slot />` if it
 * has one.
 */
export function propsOf(source: string): string {
  const front = /^\s*---\r?\n([\s\S]*?)\r?\n---/.exec(source);
  const code = withoutComments(front?.[1] ?? "");
  const props = (declared(code) ?? destructured(code) ?? "")
    .replace(/\s+/g, " ")
    .replace(/[;,]\s*$/, "")
    .trim();
  const slots = [...source.matchAll(/<slot(?:\s+name="([\w-]{1,40})")?/g)].map(([, name]) =>
    name === undefined ? "<slot />" : `<slot name="${name}" />`,
  );
  const cut = props.length > maxPropsLength ? `${props.slice(0, maxPropsLength)}…` : props;
  return [cut, ...new Set(slots)].filter((part) => part !== "").join(" + ");
}

/**
 * The custom properties of a style sheet by rule, one per line, with the comments that explain
 * them.
 */
export function tokensOf(css: string): string {
  const lines: string[] = [];
  let selector = "";
  for (const line of css.split("\n")) {
    const opened = /^([^{}]*[^{}\s])\s*\{\s*$/.exec(line);
    if (opened !== null) selector = `${opened[1]?.trim()} {`;
    if (!/^\s*--[\w-]+\s*:/.test(line)) continue;
    if (selector !== "") lines.push(selector);
    selector = "";
    lines.push(line.trimEnd());
  }
  return lines.join("\n");
}
