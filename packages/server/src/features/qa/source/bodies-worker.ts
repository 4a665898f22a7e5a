import { readMarkdown } from "../../agent/literal/markdown-edit.ts";

/** What a text shows as a page: where its links lead, and its images. */
export interface Body {
  hrefs: string[];
  images: { src: string; alt: string }[];
}

/** Parses Markdown texts, in a thread. The results are in the order of the texts. */
export function parseBodies({ texts }: { texts: readonly string[] }): Body[] {
  return texts.map((text) => {
    const { hrefs, images } = readMarkdown(text);
    return { hrefs, images: images.map(({ src, alt }) => ({ src, alt })) };
  });
}
