/** The answer of every bot of the bench: that of the demo model. */
export const echoOf = (text: string): string => `I understood: "${text}"`;
