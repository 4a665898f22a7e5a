/** The records as they were exported for this build. Texts are plain; only `body` is Markdown. */
export interface Snapshot {
  site: {
    baseUrl: string;
    ownerName: string;
    timeZone: string;
    /** Whether the site links to the account: anybody may make one, or it shows more. Not said means no. */
    accounts?: boolean;
    /** Which rules of styles/theme.css hold; not said means what content/site.json says. */
    look?: string;
    accent?: string;
  };
  /** Published projects in their order. */
  projects: Project[];
  /** Newest first. */
  changelog: Change[];
  /** Marks of the names of projects that are not in this build; not said where there are none. */
  hiddenNames?: string[];
}

export interface Project {
  slug: string;
  name: string;
  summary: string;
  lede: string;
  body: string;
  kind: string;
  period: string;
  role: string;
  categories: string[];
  stack: string[];
  skills: SkillGroup[];
  metrics: Metric[];
  /** The first one is the cover. */
  gallery: GalleryItem[];
  /** The stored images that `body` names; not said where it names none. */
  bodyPictures?: StoredImage[];
  reelUrl: string | null;
  /** ISO 8601, UTC. */
  updatedAt: string;
}

export interface SkillGroup {
  group: string;
  items: string[];
}

export interface Metric {
  value: string;
  label: string;
  note?: string | null;
}

export interface StoredImage {
  src: string;
  width: number;
  height: number;
  /** A data address of a few dozen bytes, shown until the image is there. */
  placeholder: string | null;
  /** The same image in smaller widths, smallest first. */
  variants: { src: string; width: number; bytes: number }[];
  /** The same as AVIF, up to the image's own width; missing until they are made. */
  avif?: { src: string; width: number; bytes: number }[];
}

export interface GalleryItem extends StoredImage {
  caption: string;
  alt: string;
  /** Its alt text is empty on purpose. */
  isDecorative?: true;
  /** What stays visible where the image is cut, in percent from the left and the top; missing: its center. */
  focalPoint?: { x: number; y: number };
  kind: "image" | "video";
  /** Still image of a video. */
  poster: string | null;
}

export interface Change {
  kind: string;
  title: string;
  detail: string;
  /** ISO 8601, UTC. */
  at: string;
  actor: string;
}
