// The live examples.
import "../components/theme.css";
import "./style.css";
import { byId } from "../components/dom.js";
import { defineLiveExample } from "../components/liveExample.js";
import { setUpTheme } from "./theme.js";

setUpTheme(byId("theme", HTMLButtonElement));
defineLiveExample();
