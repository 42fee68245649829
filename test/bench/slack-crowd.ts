import { asJson, signatureOf } from "../fakes/slack/event-posts.ts";
import { envelopeOf, messageEvent } from "../fakes/slack/payloads.ts";
import type { SlackWorld } from "../fakes/slack/slack-world.ts";
import { PEOPLE, PostingCrowd } from "./posting-crowd.ts";

/** People who write in Slack: every event is new and signed. */
export const slackCrowd = (world: SlackWorld, url: string, secret: string): PostingCrowd => {
  for (let n = 0; n < PEOPLE; n++) world.addUser({ id: `U0${n}`, name: `person ${n}` });
  return new PostingCrowd(url, (person) => {
    const user = `U0${person}`;
    const words = { user, room: world.directRoomOf(user), text: "Please note this down.", ts: world.nextTs() };
    const { body, contentType } = asJson(envelopeOf(world, messageEvent(world, words), `Ev${words.ts}`));
    const at = Math.floor(Date.now() / 1_000);
    const headers = {
      "content-type": contentType,
      "x-slack-request-timestamp": at,
      "x-slack-signature": signatureOf(secret, at, body),
    };
    return { headers, body };
  });
};
