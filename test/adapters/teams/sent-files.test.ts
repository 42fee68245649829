import { expect, it } from "vitest";
import { sentFiles } from "../../../adapters/teams/inbound/sent-files.ts";

const file = (fileType: string) => ({
  contentType: "application/vnd.microsoft.teams.file.download.info",
  name: `plan.${fileType}`,
  content: { downloadUrl: "https://files.example/plan", uniqueId: "u-1", fileType },
});

it.each([
  ["PDF", "application/pdf"],
  ["unheard-of", "application/octet-stream"],
  ["constructor", "application/octet-stream"],
])("when a file ends in %s, then its media type is %s", (fileType, mediaType) => {
  expect(sentFiles([file(fileType)])).toMatchObject([{ name: `plan.${fileType}`, mediaType }]);
});
