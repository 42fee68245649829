import type { PeerCall } from "./peer-call.ts";

/** Silence, in words. */
export const noAnswer = ({ peer, createdAt }: Pick<PeerCall, "peer" | "createdAt">): string =>
  `There is no answer from ${peer}: it was asked at ${createdAt}, and its time is up.`;
