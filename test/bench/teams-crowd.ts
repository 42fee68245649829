import type { FakeTeams } from "../fakes/teams/fake-teams.ts";
import { messageBy } from "../fakes/teams/sent-activity.ts";
import { PEOPLE, PostingCrowd } from "./posting-crowd.ts";

/**
 * People who write in Teams: every activity is new and has a genuine token. All share one token, as the service reuses
 * it for an hour: signing takes longer than checking.
 */
export const teamsCrowd = async (teams: FakeTeams, url: string): Promise<PostingCrowd> => {
  for (let n = 0; n < PEOPLE; n++) teams.installIn("personal", `person${n}`);
  const { appId, serviceUrl, mint } = teams;
  const authorization = `Bearer ${await mint.token({ aud: appId, serviceurl: serviceUrl })}`;
  const headers = { "content-type": "application/json; charset=utf-8", authorization };
  let serial = 0;
  return new PostingCrowd(url, (person) => {
    const said = { person: `person${person}`, text: "Please note this down." };
    return { headers, body: JSON.stringify(messageBy(teams, said, `bench-${++serial}`)) };
  });
};
