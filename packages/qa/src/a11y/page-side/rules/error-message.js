/** ACT 36b590: an error message says what is wrong, not only that something is. */
export const errorMessage = {
  id: "error-message-descriptive",
  act: ["36b590"],
  wcag: ["3.3.1"],
  impact: "moderate",
  message: "It reports an error without saying which one or how to fix it",
  needsLayout: true,
  *run({ all, shown, plain }) {
    const empty =
      /^((an )?error( (occurred|in form))?|(invalid|wrong|incorrect|bad)( (value|input|entry|data|field|format))?( (for|in|of)( the)? \p{L}+( \p{L}+)?)?|(this )?(value|input|entry|field) is (invalid|wrong|incorrect))$/u;
    for (const form of all("form")) {
      for (const element of form.querySelectorAll("span, p, div, strong, em, small, output, li")) {
        if (element.firstElementChild || !shown(element)) continue;
        const words = plain(element.textContent ?? "");
        if (words.length <= 60 && empty.test(words)) yield { element, review: true };
      }
    }
  },
};
