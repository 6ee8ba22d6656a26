/** How an invisible character looks in a text: a drawn mark of one column, or its name. */
import "./sign.css";
import { labelOf, nameOf } from "../store/glyphs";

/** Paths of the marks of common characters, in a box of 6 by 10. */
export const marks: Readonly<Record<string, string>> = {
  "\n": "M5.4 2.2v4.2H.8M2.8 4.4l-2 2 2 2",
  "\r": "M5.4 5.4H.8M2.8 3.4l-2 2 2 2",
  "\t": "M.5 5.4h3.7M2.4 3.4l2 2-2 2M5.5 3v4.8",
  "\u00a0": "M1 6v2h4V6",
};

const SVG = "http://www.w3.org/2000/svg";

/** The mark of a character, for rows that are drawn without components. */
export function signNode(character: string): HTMLElement {
  const sign = document.createElement("i");
  sign.className = "sign";
  sign.title = nameOf(character);
  sign.dataset["sign"] = labelOf(character);
  const path = marks[character];
  if (path === undefined) {
    if (character !== " ") sign.classList.add("named");
    sign.textContent = labelOf(character);
    return sign;
  }
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 6 10");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", path);
  svg.append(line);
  sign.append(svg);
  return sign;
}
