/** A visitor id contains its creation time: the visitor's log has no older entries. */
export const newVisitorId = (now: number, unique: string): string => ["v", now.toString(36), "-", unique].join("");

/** The earliest time of an entry in the visitor's log; 0 for ids of host pages, which contain no time. */
export const visitorCreatedAt = (visitor: string): number => {
  const made = /^v([0-9a-z]{1,9})-/.exec(visitor)?.[1];
  return made === undefined ? 0 : Number.parseInt(made, 36);
};
