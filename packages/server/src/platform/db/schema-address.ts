/** What the schemas of an installation's further sites, and of their registry, begin with. */
const schemaPrefix = "vitrine_site";

/** The schema of the registry of further sites. */
export const registrySchema = `${schemaPrefix}s`;

const searchPath = /(?:^|\s)-c search_path=([a-z0-9_]+)$/;

/** A pattern of pg_dump for all these schemas, none of which belongs to the installation's own site. */
export const siteSchemas = `${schemaPrefix}*`;

/** The same for `like`. */
export const likeSiteSchemas = "vitrine\\_site%";

/** The schema of a further site. */
export function siteSchema(id: string): string {
  return `${schemaPrefix}_${id.replaceAll("-", "_")}`;
}

/** The schema of a removed site, until its objects are removed as well. No site's schema is called so. */
export function removedSchema(suffix: string): string {
  return `${registrySchema}_removed_${suffix.toLowerCase()}`;
}

/**
 * The address of a database with everything in one of its schemas, instead of another one that it names.
 * As text, because addresses with a socket (`postgres://user@/name?host=/run/postgresql`) are no URLs.
 */
export function inSchema(url: string, schema: string): string {
  const [address = "", query = ""] = url.split("?", 2);
  const params = new URLSearchParams(query);
  const others = (params.get("options") ?? "").replace(searchPath, "");
  params.set("options", `${others} -c search_path=${schema}`.trim());
  // The driver takes a plus sign as it is.
  return `${address}?${params.toString().replaceAll("+", "%20")}`;
}

/** The schema that an address names; null: the database's own default. */
export function schemaOf(url: string): string | null {
  const options = new URLSearchParams(url.split("?", 2)[1] ?? "").get("options") ?? "";
  return searchPath.exec(options)?.[1] ?? null;
}
