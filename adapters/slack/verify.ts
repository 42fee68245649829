import { verifySlackRequest } from "@slack/bolt";

type Headers = Readonly<Record<string, string | undefined>>;

/** Bolt refuses what is older than this; what comes from the future it lets pass. */
const MOST_SECONDS_AHEAD = 300;

/** Why a request is not Slack's, if it is not. The signature is over the bytes as they came and their time. */
export const refusalOf = (headers: Headers, body: Buffer, signingSecret: string, now: number): string | undefined => {
  const timestamp = headers["x-slack-request-timestamp"] ?? "";
  const signature = headers["x-slack-signature"];
  if (!/^\d{1,12}$/.test(timestamp) || signature === undefined) return "it is not signed";
  const seconds = Number(timestamp);
  if (seconds > now / 1_000 + MOST_SECONDS_AHEAD) return "its time is in the future";
  try {
    verifySlackRequest({
      signingSecret,
      body: body.toString("utf8"),
      headers: { "x-slack-signature": signature, "x-slack-request-timestamp": seconds },
      nowMilliseconds: now,
    });
    return undefined;
  } catch (error) {
    return /stale/.test(String(error)) ? "it is too old" : "its signature is wrong";
  }
};
