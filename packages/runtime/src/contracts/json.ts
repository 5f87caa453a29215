/** Any value that JSON can carry. Numbers are IEEE doubles; text is well-formed Unicode once it stands in a fact. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json }
