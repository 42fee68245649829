/** A visitor's id says when it was made: before that, nothing can have been in its log. */
export const newVisitor = (now: number, unique: string): string => ["v", now.toString(36), "-", unique].join("");

/** When the visitor's log can have begun; 0 if the id does not say. */
export const visitorSince = (visitor: string): number => {
  const made = /^v([0-9a-z]{1,9})-/.exec(visitor)?.[1];
  return made === undefined ? 0 : Number.parseInt(made, 36);
};
