import { render } from "preact";
import { App } from "./views/app.tsx";
import "./style/theme.css";
import "./style/shell.css";
import "./style/lists.css";
import "./style/forms.css";
import "./style/trace.css";

const place = document.getElementById("console");
if (place !== null) render(<App />, place);
