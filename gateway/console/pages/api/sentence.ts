/** With a capital and a full stop. */
export const sentence = (text: string): string => {
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(upper) ? upper : `${upper}.`;
};
