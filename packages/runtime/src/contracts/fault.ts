/** An error as data: a code of the error table and a text for people. */
export type Fault = { readonly code: string; readonly message: string }
