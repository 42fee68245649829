import { Parser } from "htmlparser2";

export interface XmlHandlers {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close?(name: string): void;
}

const CHUNK_CHARS = 64_000;

/** Reads XML from the start to the end, or until a handler calls `stop`. It expands no entities that the file defines. */
export const readXml = (xml: string, handlers: (stop: () => void) => XmlHandlers): void => {
  let isStopped = false;
  const { open, text, close } = handlers(() => {
    isStopped = true;
  });
  const parser = new Parser(
    {
      onopentag: (name, attributes) => isStopped || open?.(name, attributes),
      ontext: (data) => isStopped || text?.(data),
      onclosetag: (name) => isStopped || close?.(name),
    },
    { xmlMode: true, decodeEntities: true },
  );
  for (let at = 0; at < xml.length && !isStopped; at += CHUNK_CHARS) parser.write(xml.slice(at, at + CHUNK_CHARS));
  parser.end();
};
