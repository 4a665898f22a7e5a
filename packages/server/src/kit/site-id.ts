/** The name of a further site: also that of its folder and, with an underscore for each hyphen, of its schema. */
export const siteIdPattern = /^(?=.{1,40}$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
