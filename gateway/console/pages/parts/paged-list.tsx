import type { ComponentChildren } from "preact";
import type { Page } from "../../../admin-api/index.ts";
import { addressOf, Link, type Route } from "../route.tsx";
import type { Answer } from "../state/use-answer.ts";
import { Empty, Failed, Loading } from "./placeholders.tsx";

interface PagedListProps<T> {
  readonly name: string;
  readonly route: Route;
  readonly answer: Answer<Page<T>>;
  readonly empty: { readonly title: string; readonly text: ComponentChildren };
  readonly children: (item: T) => ComponentChildren;
}

/** A list with its loading, error and empty states. Each page has an address, so that "back" works. */
export const PagedList = <T,>({ name, route, answer, empty, children }: PagedListProps<T>) => {
  const { data, error, reload } = answer;
  if (error !== undefined) return <Failed error={error} retry={reload} />;
  if (data === undefined) return <Loading />;
  const { page, id, query } = route;
  const { after, ...first } = query;
  const isEmpty = data.items.length === 0;
  if (isEmpty && after === undefined && data.next === undefined) return <Empty title={empty.title}>{empty.text}</Empty>;
  return (
    <>
      {isEmpty ? (
        <Empty title="No match here.">
          {data.next === undefined ? "These were the oldest entries." : "Older entries are on the next page."}
        </Empty>
      ) : (
        <ul class="rows" aria-label={name}>
          {data.items.map(children)}
        </ul>
      )}
      {(after !== undefined || data.next !== undefined) && (
        <nav class="pager" aria-label="Pages">
          {after !== undefined && <Link to={addressOf(page, id, first)}>First page</Link>}
          {data.next !== undefined && <Link to={addressOf(page, id, { ...first, after: data.next })}>Next page</Link>}
        </nav>
      )}
    </>
  );
};
