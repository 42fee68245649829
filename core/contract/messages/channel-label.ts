/** The display name of a channel, with one spelling everywhere (O9). */
export const channelLabel = (name: string): string =>
  ABBREVIATIONS.has(name) ? name.toUpperCase() : name.charAt(0).toUpperCase() + name.slice(1);

const ABBREVIATIONS = new Set(["cli"]);
