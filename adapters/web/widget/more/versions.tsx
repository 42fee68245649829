import { Tool } from "../view/messages/message-tools.tsx";
import { useWidget } from "../view/widget-context.ts";
import { useTexts } from "./more-texts.ts";

/** The way to the other versions of an own message. */
export const VersionSwitch = ({ id }: { id: string }) => {
  const { model } = useWidget();
  const texts = useTexts();
  const { ids, shown } = model.log.versionsOf(id) ?? { ids: [id], shown: 0 };
  // The newest version is the conversation as it is.
  const show = (at: number) => model.showVersion(at === ids.length - 1 ? undefined : ids[at]);
  return (
    <span class="versions">
      <span class="sr">{texts.version(shown + 1, ids.length)}</span>
      <Tool icon="back" label={texts.olderVersion} isDisabled={shown === 0} onClick={() => show(shown - 1)} />
      <span aria-hidden="true">{`${shown + 1}/${ids.length}`}</span>
      <Tool
        icon="chevron"
        label={texts.newerVersion}
        isDisabled={shown === ids.length - 1}
        onClick={() => show(shown + 1)}
      />
    </span>
  );
};

/** The end of an earlier version: the way back to the newest one. */
export const EarlierVersion = () => {
  const { model } = useWidget();
  const texts = useTexts();
  return (
    <p class="earlier" role="status">
      {texts.earlierVersion}{" "}
      <button type="button" class="pill" onClick={() => model.showVersion(undefined)}>
        {texts.newestVersion}
      </button>
    </p>
  );
};
