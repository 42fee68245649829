import type { Artifact, Part, TaskArtifactUpdateEvent } from "@a2a-js/sdk";

/**
 * Collects the artifacts of a streamed task: with `append` a chunk continues its artifact, without it the chunk replaces
 * the artifact. Artifacts keep the order of their first chunks. `lastChunk` has no effect on the text.
 */
export class StreamedArtifacts {
  #parts = new Map<string, Part[]>();

  /** A snapshot of the whole task replaces everything. */
  reset(artifacts: readonly Artifact[]): void {
    this.#parts = new Map(artifacts.map(({ artifactId, parts }) => [artifactId, [...parts]]));
  }

  apply({ artifact, append }: Pick<TaskArtifactUpdateEvent, "artifact" | "append">): void {
    if (artifact === undefined) return;
    const known = this.#parts.get(artifact.artifactId);
    if (append && known !== undefined) for (const part of artifact.parts) known.push(part);
    else this.#parts.set(artifact.artifactId, [...artifact.parts]);
  }

  get text(): string {
    return joinArtifacts([...this.#parts.values()]);
  }
}

export const textOfArtifacts = (artifacts: readonly Artifact[]): string =>
  joinArtifacts(artifacts.map(({ parts }) => parts));

const joinArtifacts = (artifacts: readonly (readonly Part[])[]): string =>
  artifacts
    .map(textOfArtifact)
    .filter((text) => text !== "")
    .join("\n\n");

/** Servers store each chunk as a separate part, so neighbouring text parts form one text. */
const textOfArtifact = (parts: readonly Part[]): string => {
  let text = "";
  let wasText = true;
  for (const part of parts) {
    const isText = part.content?.$case === "text";
    const piece = textOfPart(part);
    if (piece === "") continue;
    text += text === "" || (isText && wasText) ? piece : `\n${piece}`;
    wasText = isText;
  }
  return text;
};

/** A message is not streamed, so each of its parts is a separate block. */
export const textOfMessage = (parts: readonly Part[]): string =>
  parts
    .map(textOfPart)
    .filter((text) => text !== "")
    .join("\n");

const textOfPart = ({ content, filename }: Part): string => {
  if (content?.$case === "text") return content.value;
  if (content?.$case === "data") return JSON.stringify(content.value);
  return content === undefined ? "" : `[a file: ${filename || "without a name"}]`;
};
