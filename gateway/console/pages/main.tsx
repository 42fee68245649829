import { render } from "preact";
import { App } from "./views/app.tsx";
import "./style/theme.css";
import "./style/shell.css";
import "./style/lists.css";
import "./style/forms.css";
import "./style/trace.css";
import "./style/overview.css";
import "./style/transcript.css";
import "./style/log.css";

const container = document.getElementById("console");
if (container !== null) render(<App />, container);
