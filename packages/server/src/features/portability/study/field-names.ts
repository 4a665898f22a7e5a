/** What of a project a name in the front matter speaks of. */
export type FrontMatterField =
  | "name"
  | "slug"
  | "summary"
  | "lede"
  | "kind"
  | "period"
  | "start"
  | "end"
  | "date"
  | "role"
  | "client"
  | "categories"
  | "tags"
  | "stack"
  | "skills"
  | "metrics"
  | "cover"
  | "coverAlt"
  | "coverCaption"
  | "gallery"
  | "reel"
  | "order"
  | "status"
  | "draft"
  | "published"
  | "archived"
  | "audience"
  | "brief"
  | "aliases"
  | "created"
  | "updated"
  | "version";

/**
 * The names by which Hugo, Jekyll, Astro, Gatsby, Eleventy and their usual themes call what a project
 * has; of several that are given the first counts. Case, hyphens and underscores don't matter:
 * `heroImage`, `hero_image` and `hero-image` are one. The table of docs/import-export.md is this one.
 */
export const fieldNames: Readonly<Record<FrontMatterField, readonly string[]>> = {
  name: [
    "title",
    "name",
    "project",
    "heading",
    "projectTitle",
    "projectName",
    "titel",
    "titre",
    "titulo",
    "projekt",
    "pageTitle",
    "previewTitle",
  ],
  slug: ["slug", "permalink"],
  summary: [
    "summary",
    "description",
    "excerpt",
    "abstract",
    "teaser",
    "tagline",
    "shortDescription",
    "desc",
    "blurb",
    "overview",
    "snippet",
    "shortDesc",
    "info",
    "tldr",
    "leadSentence",
    "metaDescription",
    "beschreibung",
    "descripcion",
    "descricao",
    "resumen",
  ],
  lede: ["lede", "lead", "intro", "introduction", "subtitle"],
  kind: ["kind", "discipline", "projectType", "type"],
  period: [
    "period",
    "year",
    "years",
    "timeframe",
    "timeline",
    "duration",
    "when",
    "yearCompleted",
    "dateRange",
    "dates",
  ],
  start: ["start", "startDate", "dateStart", "from"],
  end: ["end", "endDate", "dateEnd", "to"],
  date: [
    "date",
    "pubDate",
    "publishDate",
    "publishedDate",
    "publishedAt",
    "publicationDate",
    "datePublished",
    "dateCreated",
    "pubDatetime",
    "projectDate",
    "releaseDate",
    "completionDate",
    "completed",
    "completedOn",
    "dateCompleted",
    "fecha",
    "datum",
  ],
  role: ["role", "roles", "myRole", "jobTitle"],
  client: ["client", "clientName", "customer", "company", "organisation", "organization"],
  categories: ["categories", "category", "categoria", "kategorie"],
  tags: ["tags", "tag", "keywords", "topics"],
  stack: [
    "stack",
    "tech",
    "technologies",
    "technology",
    "techStack",
    "tools",
    "builtWith",
    "technologiesUsed",
    "techstacks",
    "techs",
    "technos",
    "toolsUsed",
    "madeWith",
    "builtUsing",
    "frameworks",
    "programs",
    "tecnologias",
    "technologien",
    "software",
    "materials",
    "medium",
  ],
  skills: ["skills"],
  metrics: ["metrics", "results", "outcomes", "stats"],
  cover: [
    "cover",
    "coverImage",
    "image",
    "featuredImage",
    "featureImage",
    "featured_img",
    "heroImage",
    "hero",
    "mainImage",
    "headerImage",
    "bannerImage",
    "img",
    "picture",
    "photo",
    "preview",
    "previewImage",
    "cardImage",
    "thumbnail",
    "thumbnailImage",
    "thumb",
    "banner",
    "header",
    "screenshot",
    "poster",
    "imageUrl",
    "imgUrl",
    "imageSrc",
    "imgSrc",
    "imagePath",
    "imageLink",
    "photoLink",
    "coverUrl",
    "thumbnailUrl",
    "imagen",
    "bild",
    "socialImage",
    "ogImage",
  ],
  coverAlt: [
    "coverAlt",
    "imageAlt",
    "heroAlt",
    "heroImageAlt",
    "thumbnailAlt",
    "coverImageAlt",
    "imgAlt",
    "mainImageAlt",
    "alt",
  ],
  coverCaption: ["coverCaption", "imageCaption", "figCaption"],
  gallery: [
    "gallery",
    "images",
    "pictures",
    "photos",
    "screenshots",
    "galleryImages",
    "slides",
    "slideshow",
  ],
  reel: ["reel", "reelUrl", "video", "film"],
  order: [
    "order",
    "weight",
    "sortOrder",
    "navOrder",
    "importance",
    "priority",
    "rank",
    "index",
    "orden",
  ],
  status: ["status"],
  draft: ["draft"],
  published: ["published", "publish"],
  archived: ["archived", "isArchived"],
  audience: ["audience"],
  brief: ["brief"],
  aliases: ["aliases", "alias", "redirectFrom", "redirects"],
  created: ["created", "createdAt"],
  updated: ["updated", "updatedAt", "lastmod", "lastModified", "modified"],
  version: ["vitrine"],
};

/** Names whose values are maps of further names: Hugo's and Zola's own places for what a theme wants. */
export const nests: readonly string[] = ["params", "extra"];

/** Names under which themes keep further ones, as a map or as a list of labels with values. */
export const groups: ReadonlySet<string> = new Set(
  "details projectdetails information projectinformation projectinfo info meta metadata facts specs attributes data frontmatter seo".split(
    " ",
  ),
);

/** A name without what tools write differently. */
export function plainName(name: string): string {
  return name.replace(/[-_\s]/g, "").toLowerCase();
}
