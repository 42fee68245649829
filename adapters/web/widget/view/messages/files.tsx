import type { Attachment } from "../../../../../core/contract/messages/user-message.ts";
import { useWidget } from "../widget-context.ts";

/** The files of a message; their names until the view is loaded. */
export const Files = ({ files, areSent = false }: { files: readonly Attachment[]; areSent?: boolean }) => {
  const { lazy } = useWidget();
  if (files.length === 0) return null;
  const List = lazy.views?.FileList;
  return List ? <List files={files} areSent={areSent} /> : <p dir="auto">{files.map(({ name }) => name).join(", ")}</p>;
};
