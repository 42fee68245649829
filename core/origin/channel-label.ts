/** A channel's name as people read it. */
export const channelLabel = (name: string): string =>
  ABBREVIATIONS.has(name) ? name.toUpperCase() : name.charAt(0).toUpperCase() + name.slice(1);

const ABBREVIATIONS = new Set(["cli"]);
