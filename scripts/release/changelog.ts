/** A line about another package of the repository, whose version changes as well and isn't news. */
const isVersionLine = (line: string) => /^- (?:Updated dependencies|vitrine-[a-z]+@)/.test(line);

/** The entries that `changeset version` wrote at the top of a package's changelog. */
export function newEntries(changelog: string): string[] {
  const section = changelog.split(/^## /m)[1] ?? "";
  const entries = section.split(/^(?=- )/m).slice(1);
  return entries
    .map((entry) => entry.split(/^### /m)[0]?.trimEnd() ?? "")
    .filter((entry) => entry !== "" && !isVersionLine(entry));
}

/**
 * The repository's changelog with the content of "Unreleased" and the packages' entries as a new
 * version.
 * @param date As `YYYY-MM-DD`
 * @throws Error if it has no section "Unreleased"
 */
export function releaseChangelog(
  changelog: string,
  { version, date, entries }: { version: string; date: string; entries: readonly string[] },
): string {
  const heading = /^## Unreleased\n+/m;
  if (!heading.test(changelog)) throw new Error('CHANGELOG.md has no section "Unreleased".');
  const own = [...new Set(entries)].map((entry) => `${entry}\n`).join("");
  const list = own === "" ? "" : `${own}\n`;
  return changelog.replace(heading, () => `## Unreleased\n\n## ${version} - ${date}\n\n${list}`);
}
