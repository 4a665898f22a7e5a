/** ACT aaa1bf: sound that starts by itself and goes on, though there are controls to stop it with. */
export const autoplayLong = {
  id: "autoplay-long",
  act: ["aaa1bf"],
  wcag: [],
  impact: "minor",
  message: "It plays automatically for more than three seconds and drowns out screen readers",
  *run({ all, audibleSecondsOf }) {
    for (const element of all("audio[autoplay][controls]")) {
      const seconds = audibleSecondsOf(element);
      if (seconds === null || seconds > 3) yield { element, review: seconds === null };
    }
  },
};
