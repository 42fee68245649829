/** A channel's name as people read it. */
export const channelLabel = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
