/** ACT off6ek and ucwvc8: the declared language is the one of the text. */
export const language = {
  id: "language-of-text",
  act: ["off6ek"],
  wcag: ["3.1.2"],
  impact: "serious",
  message: "Its text isn't in the language it states, so screen readers read it incorrectly",
  *run({ document, all, shown, texts }) {
    const common = {
      en: "the and of to in is that it was for on are with as his they be at this have from or one had by but not what all were we when your can said there use an each which she do how their if will up about out many then them these so some her would make like him into time has two more",
      de: "der die und das ist nicht ein eine zu den mit sich auf für dem von im des auch es an werden aus er hat dass sie nach wird bei noch wie über nur oder aber vor zur bis mehr durch ich wir haben sind wenn war",
      fr: "le la les des et est un une du que qui dans en pour pas sur au avec ce il par plus ne se sont mais ou nous vous leur cette aux son sa ses être fait comme tout deux bien elle ces même ait",
      es: "el los las una del que y en es por con no para se su al lo como más pero sus le ya este cuando muy sin sobre también me hay donde quien desde todo nos durante uno ni contra otros ese eso era",
      nl: "de het een en van ik te dat die in niet zijn is was op aan met als voor had er maar om hem dan zou wat mijn men dit zo door over ze zich bij ook tot je mij uit der daar haar naar heb hoe heeft hebben deze",
      it: "il di che è e la per un non in una sono mi ho lo ma ha con ti se le da come io ci questo qui hai sei del bene tu mio della gli anche alla dei nel più delle dalla loro",
      pt: "o de que e do da em um para com não uma os no se na por mais as dos como mas ao ele das à seu sua ou quando muito nos já eu também só pelo pela até isso ela entre depois sem mesmo aos",
    };
    const sets = Object.entries(common).map(([code, list]) => [code, new Set(list.split(" "))]);
    const primary = (tag) => (tag ?? "").trim().toLowerCase().split("-")[0];
    const isWritten = (words) => {
      const counts = sets.map(([code, set]) => [
        code,
        words.filter((word) => set.has(word)).length,
      ]);
      const [first, second] = counts.toSorted((a, b) => b[1] - a[1]);
      // Certain only if a third of the words belong to a language, and twice as many as to any
      // other.
      const sure = first[1] >= 4 && first[1] >= words.length * 0.3 && first[1] >= second[1] * 2;
      return sure ? first[0] : null;
    };
    const known = new Set(sets.map(([code]) => code));
    for (const element of all("[lang]")) {
      const declared = primary(element.getAttribute("lang"));
      if (!known.has(declared) || (element !== document.documentElement && !shown(element)))
        continue;
      const own = texts(element === document.documentElement ? document.body : element).filter(
        ({ parentElement: at }) => at?.closest("[lang]") === element && shown(at),
      );
      const words =
        own
          .map(({ data }) => data)
          .join(" ")
          .toLowerCase()
          .match(/\p{L}+/gu) ?? [];
      const written = words.length >= 8 ? isWritten(words.slice(0, 2000)) : null;
      if (written === null || written === declared) continue;
      const isPage = element === document.documentElement;
      yield { element, act: isPage ? ["ucwvc8"] : ["off6ek"] };
    }
  },
};
