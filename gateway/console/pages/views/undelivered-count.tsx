import type { Channel } from "../api/admin-api.ts";
import { Link } from "../routing/link.tsx";
import { addressOf } from "../routing/route.ts";

/** As far as the gateway counts. */
const MOST_COUNTED = 100;

export const UndeliveredCount = ({ channel: { channel, undelivered } }: { channel: Channel }) => {
  if (undelivered === 0) return <span>0</span>;
  const count = undelivered >= MOST_COUNTED ? `${MOST_COUNTED} or more` : undelivered;
  return <Link to={addressOf("dead-letters", undefined, { channel })}>{count}</Link>;
};
