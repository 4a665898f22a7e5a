import { shareCard, shareFonts, shareSize } from "../../lib/share-card.ts";
import { themeSelectors } from "../../lib/theme.ts";
import { newShareImages, type ShareImage } from "../../lib/share-image.ts";

/**
 * The image that a link to a page is shown with; lib/share-card.ts says how it looks. Those that are
 * published already have been copied.
 */

export function getStaticPaths() {
  return newShareImages.map((image) => ({ params: { key: image.key }, props: { image } }));
}

let fonts: { name: string; data: Buffer; weight: 400; style: "normal" }[] | undefined;

/** Draws an image. What draws is loaded here: most builds have nothing to draw. */
async function draw({ text }: ShareImage): Promise<Buffer> {
  const [{ default: satori }, { default: sharp }] = await Promise.all([
    import("satori"),
    import("sharp"),
  ]);
  fonts ??= shareFonts.map(({ name, source }) => {
    const data = Buffer.from(source.slice(source.indexOf(",") + 1), "base64");
    return { name, data, weight: 400, style: "normal" };
  });
  const svg = await satori(shareCard(text, themeSelectors), { ...shareSize, fonts });
  return sharp(Buffer.from(svg)).png({ palette: true, effort: 1, dither: 0 }).toBuffer();
}

export async function GET({ props }: { props: { image: ShareImage } }): Promise<Response> {
  const png = await draw(props.image);
  return new Response(new Uint8Array(png), { headers: { "Content-Type": "image/png" } });
}
