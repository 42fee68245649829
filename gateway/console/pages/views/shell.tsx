import { Logo, PageFrame } from "../parts/page-frame.tsx";
import { Empty } from "../parts/placeholders.tsx";
import { addressOf, Link, useRoute } from "../route.tsx";
import { useConsole } from "../state/console-context.ts";
import { pages } from "./pages.ts";

/** The navigation and the current page. */
export const Shell = ({ signOut }: { signOut: () => void }) => {
  const { me } = useConsole();
  const route = useRoute();
  const shown = pages.find(({ name }) => name === route.page);
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="side">
        <div class="brand">
          <Logo />
          <span>Mooring</span>
        </div>
        <nav aria-label="Console">
          {pages.map(
            ({ name, title }) =>
              title !== undefined && (
                <Link key={name} to={addressOf(name)} current={name === (shown?.partOf ?? route.page)}>
                  {title}
                </Link>
              ),
          )}
        </nav>
        <div class="who">
          <p>
            <span class="strong">{me.role === "platform_admin" ? "Platform admin" : "Org admin"}</span>
            <span class="faint">{me.tenant === undefined ? "all tenants" : `tenant ${me.tenant}`}</span>
          </p>
          <button type="button" onClick={signOut}>
            Sign out
          </button>
          <p class="faint version">Version {me.version}</p>
        </div>
      </header>
      {shown ? <shown.View key={`${route.page}/${route.id ?? ""}`} route={route} /> : <PageNotFound />}
    </div>
  );
};

const PageNotFound = () => (
  <PageFrame title="No such page">
    <Empty title="The console has no page at this address.">Choose a page from the menu.</Empty>
  </PageFrame>
);
