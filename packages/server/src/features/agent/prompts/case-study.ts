/* Rules for all agents that write about projects. */

export const headingRule = "The text is a case study with ## headings in sentence case.";
export const captionRule = "A caption tells what the image means for the project.";
export const altTextRule =
  "An alt text says plainly what is to be seen; text that an image consists of belongs in it.";
