import type { FakeTeams } from "../fakes/teams/fake-teams.ts";
import { messageBy } from "../fakes/teams/sent-activity.ts";
import { MESSAGE_TEXT } from "./message-text.ts";
import { PEOPLE, type Posted, PostingCrowd } from "./posting-crowd.ts";

/**
 * Creates an activity of this person each time, with a genuine token. All share one token, as the service reuses it for
 * an hour: signing takes longer than checking.
 */
export const teamsActivityBy = async (teams: FakeTeams): Promise<(person: number) => Posted> => {
  const { appId, serviceUrl, mint } = teams;
  const authorization = `Bearer ${await mint.token({ aud: appId, serviceurl: serviceUrl })}`;
  const headers = { "content-type": "application/json; charset=utf-8", authorization };
  let serial = 0;
  return (person) => {
    const said = { person: `person${person}`, text: MESSAGE_TEXT };
    return { headers, body: JSON.stringify(messageBy(teams, said, `bench-${++serial}`)) };
  };
};

/** People who write in Teams. */
export const teamsCrowd = async (teams: FakeTeams, url: string): Promise<PostingCrowd> => {
  for (let n = 0; n < PEOPLE; n++) teams.installIn("personal", `person${n}`);
  return new PostingCrowd(url, await teamsActivityBy(teams));
};
