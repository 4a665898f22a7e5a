/** ACT 73f2c2: a field's autocomplete consists of tokens of the HTML standard in their order. */
export const autocomplete = {
  id: "autocomplete-valid",
  act: ["73f2c2"],
  wcag: ["1.3.5"],
  impact: "serious",
  message: "Its autocomplete value is unknown, so browsers can't fill in the field",
  *run({ all, shown, exposed, isFillable }) {
    const normal = new Set(
      (
        "name honorific-prefix given-name additional-name family-name honorific-suffix nickname username " +
        "new-password current-password one-time-code organization-title organization street-address " +
        "address-line1 address-line2 address-line3 address-level4 address-level3 address-level2 " +
        "address-level1 country country-name postal-code cc-name cc-given-name cc-additional-name " +
        "cc-family-name cc-number cc-exp cc-exp-month cc-exp-year cc-csc cc-type transaction-currency " +
        "transaction-amount language bday bday-day bday-month bday-year sex url photo"
      ).split(" "),
    );
    const contact = new Set(
      (
        "tel tel-country-code tel-national tel-area-code tel-local tel-local-prefix " +
        "tel-local-suffix tel-extension email impp"
      ).split(" "),
    );
    const isValid = (tokens) => {
      const rest = [...tokens];
      if (rest[0]?.startsWith("section-")) rest.shift();
      if (rest[0] === "shipping" || rest[0] === "billing") rest.shift();
      if (/^(home|work|mobile|fax|pager)$/.test(rest[0] ?? "")) {
        rest.shift();
        if (!contact.has(rest[0] ?? "")) return false;
        rest.shift();
      } else {
        const field = rest.shift() ?? "";
        if (!contact.has(field) && !normal.has(field)) return false;
      }
      if (rest[0] === "webauthn") rest.shift();
      return rest.length === 0;
    };
    for (const element of all(
      "input[autocomplete], select[autocomplete], textarea[autocomplete]",
    )) {
      const tokens = (element.getAttribute("autocomplete") ?? "").trim().toLowerCase().split(/\s+/);
      if (tokens[0] === "" || (tokens.length === 1 && /^(on|off)$/.test(tokens[0] ?? ""))) continue;
      if (element.matches(":disabled, [aria-disabled='true' i]")) continue;
      if (!shown(element) && !exposed(element)) continue;
      if (isFillable(element) && !isValid(tokens)) yield { element };
    }
  },
};
