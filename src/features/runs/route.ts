/** What the description of the API says of every route of runs. */
export const described = { tags: ["console"], security: [{ session: [] }] };
