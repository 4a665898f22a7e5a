import { type Check, quote } from "../../check.ts";
import { isHiddenFromReaders, textOf } from "../../page/dom.ts";
import { accessibleName } from "../../page/name.ts";
import { linksOf, formatTarget } from "../addresses.ts";

/** Link text that doesn't describe the target, in several languages. */
const generic = new Set(
  `click here|click this|here|this|this link|link|go|start|more|read more|learn more|see more|
  more info|more information|continue|continue reading|details|view details|right here|
  hier|hier klicken|mehr|mehr erfahren|mehr lesen|weiterlesen|weiter|klicken sie hier|
  här|klicka här|läs mer|mer|ici|cliquez ici|en savoir plus|lire la suite|plus|
  aquí|haz clic aquí|leer más|más|más información|clicca qui|qui|leggi di più|clique aqui|saiba mais`
    .split("|")
    .map((words) => words.trim()),
);

const plain = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim();

/**
 * Reports a link with generic text: screen reader users who go from link to link hear “more, more,
 * more”.
 */
export const linkGenericText: Check = {
  id: "link.generic-text",
  category: "links",
  severity: "notice",
  skipForBuilds: true,
  *run(page, site) {
    const found = linksOf(page, site).flatMap((link) => {
      const { target, element } = link;
      if (target.kind !== "inside" && target.kind !== "outside") return [];
      const text = plain(textOf(element));
      // Most links have a text of their own; only the others need a look at their label.
      if (!generic.has(text) || isHiddenFromReaders(element)) return [];
      // “Start” is the name of the home page in several languages.
      if (text === "start" && target.kind === "inside" && target.path === "/") return [];
      const name = plain(accessibleName(page, element));
      // In a table of contents, it is the heading that it leads to.
      if (target.kind === "inside" && target.path === page.path) {
        const [place] = page.ids.get(target.fragment) ?? [];
        if (place && plain(textOf(place)) === name) return [];
      }
      return generic.has(name) ? [{ link, name }] : [];
    });
    for (const { link, name } of found) {
      const count = found.filter((other) => other.name === name).length;
      yield {
        target: formatTarget(link),
        at: link.element,
        evidence: { text: name, count },
        message: `The link text ${quote(name)} doesn’t say where it leads.`,
      };
    }
  },
};
