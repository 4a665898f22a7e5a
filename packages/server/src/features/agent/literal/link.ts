import type { Place } from "./find.ts";
import type { Command } from "./grammar.ts";
import { findNearest, type Sources } from "./nearest.ts";
import { assertNotRecord, choices } from "./replace.ts";
import type { Search } from "./scope.ts";
import { decode, rewrite, type Segment } from "./segment.ts";
import type { SiteSource } from "./site-source.ts";
import { ambiguousError, notFound, literalError } from "./literal-error.ts";

/** Properties and keys with addresses that aren't links. */
const otherAddresses = /^(src|srcset|image|cover|poster|class|id|slug|content)$/;

/** Matches only if the whole value is the address; otherwise, it is a different link. */
function placesInSegment(source: string, segment: Segment, address: string): [number, number][] {
  const { kind, tag, name, start, end } = segment;
  const { text, offsets } = decode(source, segment);
  if (kind === "markdown") {
    return [...text.matchAll(/\]\(\s{0,9}([^\s)]+)/g)].flatMap((match): [number, number][] => {
      if (match[1] !== address) return [];
      const at = match.index + match[0].length - address.length;
      return [[offsets[at] ?? start, offsets[at + address.length] ?? end]];
    });
  }
  const onElement = kind === "attribute" && /^[a-z]/.test(tag);
  const isLink = onElement ? name === "href" : kind !== "text" && !otherAddresses.test(name);
  return isLink && text === address ? [[start, end]] : [];
}

function placesIn(site: SiteSource, file: string, address: string): Place[] {
  const source = site.text(file);
  return site.segments(file).flatMap((segment) =>
    placesInSegment(source, segment, address).map(([start, end]) => ({
      file,
      segment,
      start,
      end,
      line: source.slice(0, start).split("\n").length,
      excerpt: source.slice(Math.max(0, start - 30), end + 10).replace(/\s+/g, " "),
    })),
  );
}

function changeIn(site: SiteSource, file: string, places: readonly Place[], value: string): void {
  let source = site.text(file);
  // From last to first, so that earlier offsets stay valid.
  for (const { segment, start, end } of places.toSorted((a, b) => b.start - a.start)) {
    const edit = { start, end, text: value };
    const whole = segment.kind === "markdown" ? { ...segment, start, end } : segment;
    source = rewrite(source, whole, [edit]);
  }
  site.set(file, source);
}

/** Executes `change the link "A" to "B"` in memory: only where the whole address of a link is A. */
export function changeLink(
  sources: Sources,
  command: Extract<Command, { kind: "link" }>,
  search: Search,
  records: Record<string, string>,
): string {
  const { site, projects } = sources;
  const { address } = command;
  const value = command.value.trim();
  if (value === "" || /\s/.test(value)) throw literalError("That isn't a valid address.");
  const found = findNearest(sources, command.scope, search, {
    inFiles: (files) => files.flatMap((file) => placesIn(site, file, address)),
    inRecords: (slugs) => projects.findLinks(slugs, address, value),
  });
  if (found === undefined) {
    assertNotRecord(records, address);
    throw notFound(`A link to “${address}”`, search.rings.at(-1)?.where ?? "");
  }
  const places = [...found.files, ...found.projects];
  if (places.length > 1 && !search.all) {
    throw ambiguousError(
      `The link “${address}”`,
      places,
      choices(site, found.files, found.projects),
    );
  }
  for (const [file, inside] of Map.groupBy(found.files, (place) => place.file)) {
    changeIn(site, file, inside, value);
  }
  projects.replace(found.projects, value);
  const count = places.length === 1 ? "" : ` in ${places.length} places`;
  return `Changed the link “${address}” to “${value}”${count}.`;
}
