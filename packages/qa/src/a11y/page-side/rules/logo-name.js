/**
 * ACT qt1vmo: an image's name says what it shows. Only a person can decide that: the file name is a
 * hint. Only an alternative text that is a file's name is certainly wrong.
 */
export const logoName = {
  id: "image-name-descriptive",
  act: ["qt1vmo"],
  wcag: ["1.1.1"],
  impact: "serious",
  message: "Its alternative text names a different logo than its file",
  *run({ all, exposed, name, plain, isShortFor }) {
    const words =
      "a an the our my your site web website page company brand client partner sponsor footer header main nav menu mobile desktop " +
      "white black dark light color colour grey gray mono small large big full new old final default square round " +
      "horizontal vertical transparent icon image img picture pic photo graphic home school university city app svg png " +
      "hdr ftr hd bw wht blk clr grn rgb cmyk xs sm md lg xl xxl lrg sml bg fg hrz vrt tm tmb thmb px pt jpg gif";
    const general = new Set(words.split(" "));
    const sayingOf = (text) =>
      text
        .split(" ")
        .filter((word) => word !== "logo" && !general.has(word) && !/^\d+x?\d*$/.test(word));
    const placeholder =
      /^(alt( text)?|image( of)?|img|picture( of)?|photo|graphic|placeholder|spacer|untitled|null|undefined|(image|img|photo|picture|dsc|pic) ?\d+)$/;
    /** With an extension, or as cameras name files. */
    const fileName =
      /^[\w.-]+\.(png|jpe?g|svg|webp|gif|avif|bmp|tiff?)$|^(dscn?|img)[ _-]?\d{3,}$/i;
    for (const element of all("img[src], image[href]")) {
      if (!exposed(element)) continue;
      const called = name(element);
      if (fileName.test(called)) {
        yield { element, message: "Its alternative text is a file's name" };
        continue;
      }
      if (placeholder.test(plain(called))) {
        // In a gallery that numbers its images, that may be all there is to say.
        const message = "Its alternative text seems to be a placeholder";
        yield { element, review: true, message };
        continue;
      }
      const source = element.getAttribute("src") ?? element.getAttribute("href") ?? "";
      const file = /([^/?#]+)\.(?:png|jpe?g|svg|webp|gif|avif)(?:[?#]|$)/i.exec(source)?.[1] ?? "";
      // Only if both call it the logo of a single short name; otherwise, the words may mean the
      // same.
      const ofFile = sayingOf(plain(file));
      const ofName = sayingOf(plain(name(element)));
      if (!/\blogo\b/.test(plain(file)) || !/\blogo$/.test(plain(name(element)))) continue;
      if (ofFile.length !== 1 || ofName.length !== 1) continue;
      const [one, other] = [ofFile[0], ofName[0]];
      const akin =
        isShortFor(one, other) ||
        isShortFor(other, one) ||
        one.includes(other) ||
        other.includes(one);
      if (akin || one.length < 2 || other.length < 2) continue;
      yield { element, review: true };
    }
  },
};
