import { describe, expect, it } from "vitest";
import { sentFiles } from "../../../adapters/teams/activity.ts";

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

describe("given the attachments of a message", () => {
  const FILE = "application/vnd.microsoft.teams.file.download.info";
  const picture = { contentType: "image/png", contentUrl: "https://files.example/p", name: "p.png" };

  it("when it is a file, then it has the id, name, type and address that Teams reports", () => {
    expect(sentFiles([file("pdf")])).toStrictEqual([
      { id: "u-1", name: "plan.pdf", mediaType: "application/pdf", url: "https://files.example/plan" },
    ]);
  });

  it("when Teams reports neither id, name nor type of a file, then its position is the id, and its content is unknown", () => {
    const content = { downloadUrl: "https://files.example/plan" };
    expect(sentFiles([picture, { contentType: FILE, content }])[1]).toStrictEqual({
      id: "1",
      name: "file.bin",
      mediaType: "application/octet-stream",
      url: "https://files.example/plan",
    });
    expect(sentFiles([{ contentType: FILE, content: { ...content, fileType: "pdf" } }])).toMatchObject([
      { name: "file.pdf", mediaType: "application/pdf" },
    ]);
  });

  it("when it is a picture, a sound or a film, then it is an attachment, named after its type if it has no name", () => {
    expect(sentFiles([picture])).toStrictEqual([
      { id: "0", name: "p.png", mediaType: "image/png", url: "https://files.example/p" },
    ]);
    const unnamed = ["image/png", "audio/ogg", "video/mp4"].map((contentType) => ({
      contentType,
      contentUrl: "https://files.example/p",
    }));
    expect(sentFiles(unnamed).map(({ name }) => name)).toEqual(["image", "audio", "video"]);
  });

  it("when it is something else, or has no address, then it is skipped", () => {
    const skipped = [
      { contentType: FILE, content: "broken" },
      { contentType: "image/png", name: "p.png" },
      { ...picture, contentType: "text/html" },
      { ...picture, contentType: "application/x-image/png" },
    ];
    expect(sentFiles(skipped)).toEqual([]);
  });
});
