import { ask, content, inCategory, replace } from "../../case.ts";

const [home, about, contact] = [content("home"), content("about"), content("contact")];
const [services, website, resume] = [
  content("services"),
  content("website-design"),
  content("resume"),
];

const typos = inCategory(
  "typos",
  [
    "typo-services-lead",
    ask("In the lead, “what we make” should be “what we build”.", "/services/"),
    replace(services, "who will use what we make", "who will use what we build"),
  ],
  [
    "typo-step-mend",
    ask(
      "In the step “Try” say “We fix what stops them.” instead of “We fix whatever stops them.”",
      "/services/website-design/",
    ),
    replace(website, "We fix whatever stops them.", "We fix what stops them."),
  ],
  [
    "typo-email-hyphen",
    ask("Write “email” without a hyphen everywhere on the contact page.", "/contact/"),
    replace(contact, "Your e-mail address", "Your email address"),
    replace(contact, "By e-mail", "By email"),
  ],
  [
    "typo-resume-cooperatives",
    ask("Please write cooperatives without the hyphen in the summary of the resume.", "/resume/"),
    replace(resume, "websites for co-operatives, clinics", "websites for cooperatives, clinics"),
  ],
  [
    "typo-story-apostrophe",
    ask("“a form can take a family’s Friday” → “a form can cost a family its Friday”", "/about/"),
    replace(about, "a form can take a family’s Friday", "a form can cost a family its Friday"),
  ],
  [
    "typo-not-found",
    ask("On the page for wrong addresses, “mistyped” should be “misspelled”.", "/404/"),
    replace(content("not-found"), "may be mistyped", "may be misspelled"),
  ],
);

const sentences = inCategory(
  "sentences",
  [
    "sentence-home-lead",
    ask(
      "Change the lead to: “Ledgers, booking desks, logbooks. Twelve years of making them quick to learn, calm to use and cheap to run.”",
      "/",
    ),
    replace(home, "Eleven years of making them", "Twelve years of making them"),
  ],
  [
    "sentence-home-call",
    ask("Make the text under the big question at the bottom a bit warmer and shorter.", "/"),
    replace(
      home,
      "That is usually where I start. Write me two lines about it, and I’ll answer within two working days.",
      "That is where I like to start. Write me two lines about it, and I will write back within two working days.",
    ),
  ],
  [
    "sentence-projects-lead",
    ask("Shorten the introduction of the projects page to one sentence.", "/projects/"),
    replace(
      content("projects"),
      '"lead": "Each page says what was wrong and for whom, what limited us, what failed on the way, and what changed, in numbers where there are any."',
      '"lead": "Each page says what was wrong, what failed on the way, and what changed."',
    ),
  ],
  [
    "sentence-contact-lead",
    ask("Say in the introduction that I am happy about bad drafts too.", "/contact/"),
    replace(
      contact,
      '"lead": "Two lines are enough: what takes too long, and for whom. I answer',
      '"lead": "Two lines are enough: what takes too long, and for whom. Unfinished thoughts are welcome. I answer',
    ),
  ],
  [
    "sentence-changelog-lead",
    ask("In the changelog's introduction drop the sentence about corrections.", "/changelog/"),
    replace(
      content("changelog"),
      "when, and who did it. Corrections are listed like everything else.",
      "when, and who did it.",
    ),
  ],
  [
    "sentence-thanks",
    ask(
      "On the thank-you page write “Your message has reached me.” instead of “I have your message.”",
      "/contact/thanks/",
    ),
    replace(contact, "I have your message.", "Your message has reached me."),
  ],
  [
    "sentence-search-none",
    ask(
      "When a search finds nothing, say: No results for “{words}”. Try a shorter word.",
      "/search/",
    ),
    replace(content("search"), "Try fewer or different words.", "Try a shorter word."),
  ],
  [
    "sentence-footer-note",
    ask("Footer: say “Made without trackers, cookies or haste.”"),
    replace(
      content("site"),
      "No trackers, no cookies.",
      "Made without trackers, cookies or haste.",
    ),
  ],
  [
    "sentence-step-listen",
    ask(
      "Rewrite the step Listen so that it says two days at your desk and no calls",
      "/services/website-design/",
    ),
    replace(
      website,
      "One day at your desk, five short calls with visitors, and what your log files already know.",
      "Two days at your desk, and what your log files already know.",
    ),
  ],
  [
    "sentence-resume-note",
    ask(
      "The note under the buttons of the resume can be shorter: The PDF has the same text.",
      "/resume/",
    ),
    replace(
      resume,
      "The PDF has the same text, with links and bookmarks. This page also prints on A4.",
      "The PDF has the same text. This page also prints on A4.",
    ),
  ],
);

const headings = inCategory(
  "headings",
  [
    "heading-home-work",
    ask("Rename “Selected work” to “Recent work”.", "/"),
    replace(home, '"heading": "Selected work"', '"heading": "Recent work"'),
  ],
  [
    "heading-about",
    ask("New headline for the about page: “I like the software that nobody shows off.”", "/about/"),
    replace(
      about,
      "I like the software nobody shows off.",
      "I like the software that nobody shows off.",
    ),
  ],
  [
    "heading-contact",
    ask("Change the headline “Write to me” to “Tell me about it”", "/contact/"),
    replace(contact, '"heading": "Write to me"', '"heading": "Tell me about it"'),
  ],
  [
    "heading-services-not",
    ask("“What I don’t take on” → “What I turn down”", "/services/"),
    replace(services, "What I don’t take on", "What I turn down"),
  ],
  [
    "heading-faq",
    ask("Call the questions section “Questions people ask”.", "/services/website-design/"),
    replace(website, '"faqHeading": "Common questions"', '"faqHeading": "Questions people ask"'),
  ],
  [
    "heading-resume-speaking",
    ask("In the resume, rename Talks and writing to Talks and articles", "/resume/"),
    replace(resume, '"speaking": "Talks and writing"', '"speaking": "Talks and articles"'),
  ],
  [
    "heading-404",
    ask("404 page headline: “Nothing lives at this address.”", "/404/"),
    replace(content("not-found"), "This page doesn’t exist.", "Nothing lives at this address."),
  ],
  [
    "heading-home-main",
    ask(
      "Headline on the home page: I design the unglamorous software that small organisations run on.",
      "/",
    ),
    replace(
      home,
      '"heading": "I design the dull software',
      '"heading": "I design the unglamorous software',
    ),
  ],
);

const paragraphs = inCategory(
  "paragraphs",
  [
    "paragraph-about-added",
    ask(
      "Add a closing paragraph to my story: I teach an evening class on form design each spring, because explaining it to beginners keeps me honest.",
      "/about/",
    ),
    replace(
      about,
      'because that’s where most of the decisions are made."\n',
      'because that’s where most of the decisions are made.",\n    "I teach an evening class on form design each spring, because explaining it to beginners keeps me honest."\n',
    ),
  ],
  [
    "paragraph-about-rewritten",
    ask(
      "The second paragraph of my story is too long. Please tighten it, keep the Oslo years.",
      "/about/",
    ),
    replace(
      about,
      "I studied interaction design, joined a small agency, and then spent four years in Oslo on a booking desk that 320 agents used all day. Nobody outside that room will ever see it. It’s still the work I learned the most from: when a screen is used four hundred times a shift, a second saved is a shorter day.",
      "I studied interaction design, joined a small agency, and spent four years in Oslo on a booking desk that 320 agents used all day. It is the work I learned most from: a second saved four hundred times a shift is a shorter day.",
    ),
  ],
  [
    "paragraph-website-price",
    ask(
      "Add to “What it costs”, as a last paragraph: Travel inside Sweden is included.",
      "/services/website-design/",
    ),
    replace(
      website,
      'half when the site goes live."\n',
      'half when the site goes live.",\n    "Travel inside Sweden is included."\n',
    ),
  ],
  [
    "paragraph-removed",
    ask("The third paragraph of the story is outdated, take it out.", "/about/"),
    replace(
      about,
      ',\n    "Since 2021 I’ve worked for myself, in a room above a bicycle shop in Gothenburg. I take three or four projects a year. I write the code for what I design, because that’s where most of the decisions are made."',
      "",
    ),
  ],
  [
    "paragraph-split",
    ask("Split the first paragraph of my story in two, after “standing up.”", "/about/"),
    replace(
      about,
      "and we ate standing up. I learned early",
      'and we ate standing up.",\n    "I learned early',
    ),
  ],
);

const lists = inCategory(
  "lists",
  [
    "bullet-not-added",
    ask("Add to what I don’t take on: Sites that sell people's attention.", "/services/"),
    replace(
      services,
      '"Advertising technology, gambling and employee tracking.",',
      '"Advertising technology, gambling and employee tracking.",\n    "Sites that sell people’s attention.",',
    ),
  ],
  [
    "bullet-point-changed",
    ask(
      "In the service “Care” replace the point “No new features by stealth” with “A written note each month”.",
      "/services/",
    ),
    replace(services, "No new features by stealth", "A written note each month"),
  ],
  [
    "bullet-removed",
    ask("Remove the last bullet of what I don't take on, the one about three weeks.", "/services/"),
    replace(
      services,
      ',\n    "Anything due in less than three weeks. I’d only disappoint you."',
      "",
    ),
  ],
  [
    "bullet-resume-highlight",
    ask("Under Fjordline Systems add: Mentored two junior designers.", "/resume/"),
    replace(
      resume,
      '"Designed the keyboard shortcuts, which two later products adopted."',
      '"Designed the keyboard shortcuts, which two later products adopted.",\n          "Mentored two junior designers."',
    ),
  ],
  [
    "bullet-skill",
    ask("Add “Service blueprints” to the Research skills.", "/resume/"),
    replace(resume, '"Usability tests"', '"Usability tests", "Service blueprints"'),
  ],
  [
    "bullet-principle",
    ask(
      "New principle for How I work, at the end. Name: Leave early. Text: A tired designer makes tired screens.",
      "/about/",
    ),
    replace(
      about,
      'I’m easy to replace." }',
      'I’m easy to replace." },\n    { "name": "Leave early", "text": "A tired designer makes tired screens." }',
    ),
  ],
  [
    "bullet-language",
    ask(
      "I also speak some German now, please add it to the languages in the resume (“Conversational”).",
      "/resume/",
    ),
    replace(
      resume,
      '"fluency": "Understands, answers in Swedish" }',
      '"fluency": "Understands, answers in Swedish" },\n      { "language": "German", "fluency": "Conversational" }',
    ),
  ],
);

export const textCases = [...typos, ...sentences, ...headings, ...paragraphs, ...lists];
