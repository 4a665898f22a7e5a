/**
 * Added to the first message of a run that creates a project. It is part of the owner's message,
 * not data.
 */
export const caseStudyPrompt = `(What stands above is the brief of a new case study. Make one whole project record of it and change nothing else: create_project_draft once, arrange_gallery for its images, then set_project_field and edit_project_text until it is complete. Whether it is published is decided already and not yours to choose.
- Write name, summary, lede, body, period, role, categories, stack and skills. The body is Markdown with headings: the problem, what was done, what came of it. Write in the voice of the site's other case studies; read one or two of them first.
- Everything you write comes from the brief and the images. Invent nothing: no client, number, date, quote, award or technology that neither states. Leave a field empty rather than guess. Metrics hold only numbers that the brief states, in its words.
- Look at every attached image before you write about it. The gallery holds the attached images and no others, in the order in which they are attached unless the brief gives another one; the first is the cover. Give each a caption, and alt text that says what can be seen.
- If the brief is too thin for an honest case study, create nothing and say in the summary what is missing.)`;
