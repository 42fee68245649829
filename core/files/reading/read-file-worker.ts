import { parentPort, workerData } from "node:worker_threads";
import { officeFormatOf } from "./office-text.ts";
import { pdfText } from "./pdf-text.ts";
import type { ReadAnswer, ReadJob } from "./read-file-text.ts";
import { TextSink, tidy } from "./text-sink.ts";
import { Unreadable } from "./unreadable.ts";
import { Zip } from "./zip.ts";

/** An honest document of the largest size has less. */
const MAX_INFLATED_BYTES = 100_000_000;

const readZip = ({ bytes }: ReadJob, sink: TextSink): ReadAnswer => {
  const zip = new Zip(bytes, MAX_INFLATED_BYTES);
  const format = officeFormatOf(zip);
  if (format === undefined) return { notDocument: true };
  format.readText(zip, sink);
  const text = tidy(sink.text);
  if (text === "") throw new Unreadable("has no text");
  return { text, isCut: sink.isFull, mediaType: format.mediaType, label: format.label };
};

const readPdf = async ({ bytes, timeLimitMs }: ReadJob, sink: TextSink): Promise<ReadAnswer> => {
  const extent = await pdfText(new Uint8Array(bytes), sink, timeLimitMs);
  return { text: tidy(sink.text), isCut: sink.isFull || extent.pagesRead < extent.pages, ...extent };
};

const answer = async (job: ReadJob): Promise<ReadAnswer> => {
  const sink = new TextSink(job.maxChars);
  try {
    return await (job.kind === "pdf" ? readPdf(job, sink) : readZip(job, sink));
  } catch (error) {
    return { failed: error instanceof Unreadable ? error.message : "is damaged or incomplete" };
  }
};

if (parentPort !== null) parentPort.postMessage(await answer(workerData as ReadJob));
