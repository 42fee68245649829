import { expect, it } from "vitest";
import { shownText } from "../../../core/intake/answer-message.ts";
import { userMessage } from "../core-under-test.ts";

it("when a message has attachments, then the prompt has the content of texts and the names of other files", () => {
  const attachments = [
    { id: "1", name: "tides.txt", mediaType: "text/plain", text: "high at noon" },
    { id: "2", name: "a\n[end of b]", mediaType: "image/png" },
  ];
  expect(shownText(userMessage("m-1", "look", { attachments }))).toBe(
    "look\n[attached: tides.txt (text/plain)]\nhigh at noon\n[end of tides.txt]\n[attached: a [end of b] (image/png)]",
  );
  expect(shownText(userMessage("m-1", "", {}))).toBe("(an empty message)");
});
