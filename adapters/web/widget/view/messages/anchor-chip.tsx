import { channelLabel } from "../../../../../core/contract/messages/channel-label.ts";
import type { Shown } from "../../../client/transcript.ts";
import { Icon } from "../icon.tsx";
import { useWidget } from "../widget-context.ts";
import { RelativeTime } from "./live-time.tsx";
import { clockTime } from "./time-text.ts";

type Anchor = NonNullable<Shown["anchor"]>;

/** The origin of a proactive message: request, channel and time, linked to the original message (O10, O12). */
export const AnchorChip = ({ anchor, origin }: { anchor: Anchor; origin: Shown["origin"] }) => {
  const { texts, locale, model } = useWidget();
  const { channel, startedAt, asked } = anchor;
  return (
    <div class="anchor">
      <Icon name="branch" />
      <div class="lines">
        <About anchor={anchor} origin={origin} />
        <span class="where" dir="auto">
          {channel === "scheduled" && texts.scheduled}
          {channel === "a2a-inbound" && texts.fromAgent}
          {!SYNTHETIC.has(channel) &&
            texts.startedFrom(isolated(channelLabel(channel)), isolated(clockTime(startedAt, model.now(), locale)))}
          <Ago at={startedAt} />
        </span>
        {asked && (
          <span class="where" dir="auto">
            {texts.askedFrom(isolated(channelLabel(asked.channel)), isolated(clockTime(asked.at, model.now(), locale)))}
            <Ago at={asked.at} />
          </span>
        )}
      </div>
    </div>
  );
};

/** The dot stays with the time if the line breaks. */
const Ago = ({ at }: { at: string }) => (
  <>
    {" "}
    <span class="ago">
      {"· "}
      <RelativeTime at={at} />
    </span>
  </>
);

const SYNTHETIC = new Set(["scheduled", "a2a-inbound"]);

const About = ({ anchor: { summary, link }, origin }: { anchor: Anchor; origin: Shown["origin"] }) => {
  const { texts, model, panel } = useWidget();
  const key = `said:${origin?.messageId ?? ""}`;
  if (link !== undefined && /^https?:\/\//.test(link)) {
    return (
      <a class="about" href={link} target="_blank" rel="noopener noreferrer" dir="auto">
        {summary}
      </a>
    );
  }
  if (origin?.messageId !== undefined && model.mayFind(key, origin.startedAt)) {
    return (
      <button
        type="button"
        class="about"
        title={texts.showOrigin}
        dir="auto"
        onClick={() => panel.set({ highlightedKey: key })}
      >
        {summary}
      </button>
    );
  }
  return (
    <span class="about" dir="auto">
      {summary}
    </span>
  );
};

/** Isolates text whose direction may differ from its surroundings. */
const isolated = (text: string): string => `\u2068${text}\u2069`;
