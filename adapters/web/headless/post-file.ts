import { browser, type PostFile, postWithProgress } from "../client/post-file.ts";

/** Without XMLHttpRequest, as in Node and in workers of some browsers, only the end of the upload is reported. */
export const postFile: PostFile = async (url, headers, body, onProgress) => {
  if (browser.XMLHttpRequest !== undefined) return postWithProgress(url, headers, body, onProgress);
  const answer = await fetch(url, { method: "POST", headers, body });
  onProgress(1);
  return { status: answer.status, text: await answer.text() };
};
