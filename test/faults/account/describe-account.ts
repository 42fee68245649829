import { type Account, WRONGS } from "./account.ts";

/** The maximum number of listed errors per kind. */
const MAX_LINES = 20;

/** The counts in one line, then all errors and unknown outcomes. */
export const describeAccount = (account: Account): string => {
  const { messages, answers } = account;
  const counts = [...WRONGS, "unknown" as const].map((kind) => `${account[kind].length} ${NAMES[kind]}`);
  const lines = [...WRONGS, "unknown" as const].flatMap((kind) => {
    const found = account[kind];
    const more = found.length > MAX_LINES ? [`  … and ${found.length - MAX_LINES} more`] : [];
    return found.length === 0
      ? []
      : [`${NAMES[kind]}:`, ...found.slice(0, MAX_LINES).map((each) => `  ${each}`), ...more];
  });
  return [`${messages} messages, ${answers} to be seen: ${counts.join(", ")}`, ...lines].join("\n");
};

const NAMES = {
  lost: "lost",
  duplicated: "duplicated",
  outOfOrder: "out of order",
  wronglyShown: "wrongly shown",
  needlesslyUnknown: "needlessly unknown",
  unknown: "unknown",
} as const;
