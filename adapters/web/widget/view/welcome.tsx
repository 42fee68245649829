import { Icon } from "./icon.tsx";
import { useWidget } from "./widget-context.ts";

/** Where nothing has been said yet: a word, and something to begin with. */
export const Welcome = () => {
  const { options, texts, model } = useWidget();
  return (
    <div class="welcome">
      <span class="avatar">
        <Icon name="anchor" />
      </span>
      <p dir="auto">{options.greeting ?? texts.greeting}</p>
      <div class="suggestions">
        {options.suggestions.map((text) => (
          <button type="button" class="pill" key={text} dir="auto" onClick={() => model.say(text)}>
            {text}
          </button>
        ))}
      </div>
    </div>
  );
};
