/** Phrases that break a rule and are right: a sentence with one of them is not reported. */
export const ALLOWED: readonly { readonly phrase: string; readonly reason: string }[] = [];
