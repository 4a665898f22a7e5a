/** ACT aaa1bf: audio that plays automatically for long, even if there are controls to stop it. */
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
