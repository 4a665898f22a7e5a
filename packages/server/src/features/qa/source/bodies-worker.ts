import { readMarkdown } from "../../agent/literal/markdown-edit.ts";

/** The links and images of a text as shown on a page. */
export interface Body {
  hrefs: string[];
  images: { src: string; alt: string }[];
}

/** Parses Markdown texts in a worker thread. Results are in the order of the texts. */
export function parseBodies({ texts }: { texts: readonly string[] }): Body[] {
  return texts.map((text) => {
    const { hrefs, images } = readMarkdown(text);
    return { hrefs, images: images.map(({ src, alt }) => ({ src, alt })) };
  });
}
