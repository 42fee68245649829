import { parentPort, workerData } from "node:worker_threads";
import { Readability } from "@mozilla/readability";
import { parseHTML } from "linkedom";
import { messageOf } from "../../contract/app-error.ts";
import { type DocumentAnswer, type DocumentJob, type DocumentText, decode } from "./read-document.ts";

/** A line break of the layout, in contrast to one of the source. */
const BREAK = "\u2028";

const readHtml = ({ bytes, charset }: DocumentJob): DocumentText => {
  const html = decode(bytes, charset);
  // The parser does not add a body that the page leaves out.
  const { document } = parseHTML(/<body[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`);
  // Blocks without a break between them would run into each other in plain text.
  for (const block of document.querySelectorAll("p, h1, h2, h3, h4, h5, h6, li, tr, pre, br, div, section")) {
    block.append(BREAK);
  }
  for (const code of document.querySelectorAll("pre")) code.textContent = code.textContent.replaceAll("\n", BREAK);
  const title = document.title.trim();
  const whole = document.body?.textContent ?? "";
  const article =
    new Readability(document as unknown as ConstructorParameters<typeof Readability>[0]).parse()?.textContent ?? "";
  // A page that is not an article, such as a list, is shown whole.
  const text = article.trim().length < whole.trim().length / 20 ? whole : article;
  return {
    title: title === "" ? undefined : title,
    text: tidy(text.replace(/[^\S\u2028]+/g, " ").replaceAll(BREAK, "\n")),
  };
};

const readPdf = async ({ bytes }: DocumentJob): Promise<DocumentText> => {
  const { extractText, getDocumentProxy } = await import("unpdf");
  const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  const { text } = await extractText(document, { mergePages: false });
  if (text.join("").trim() === "") throw new Error("it has no text, perhaps it is a scan");
  return { text: tidy(text.map((page, index) => `[page ${index + 1}]\n${page}`).join("\n\n")) };
};

const tidy = (text: string): string =>
  text
    .replace(/[^\S\n]+/g, " ")
    .replace(/ *\n */g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();

const answer = async (job: DocumentJob): Promise<DocumentAnswer> => {
  try {
    return await (job.kind === "html" ? readHtml(job) : readPdf(job));
  } catch (error) {
    return { failed: messageOf(error) };
  }
};

if (parentPort !== null) parentPort.postMessage(await answer(workerData as DocumentJob));
