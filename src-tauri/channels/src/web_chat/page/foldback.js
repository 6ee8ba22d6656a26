// Puts the chat on a site: <script src="https://chat.example.org/foldback.js" async></script>
// A button opens a panel with the page in a frame, so that neither can read the other.
(() => {
  const script = document.currentScript;
  const { origin } = new URL(script.src);
  const { title = "Chat", open: opens = "Open the chat", close: closes = "Close the chat", side = "right" } = script.dataset;
  const style = (element, rules) => {
    for (const [name, value] of Object.entries(rules)) element.style.setProperty(name, value);
    return element;
  };
  const dark = matchMedia("(prefers-color-scheme: dark)");

  const panel = style(document.createElement("div"), {
    position: "fixed", bottom: "88px", [side === "left" ? "left" : "right"]: "20px", "z-index": "2147483000", overflow: "hidden", display: "none",
    width: "min(400px, calc(100vw - 40px))", height: "min(620px, calc(100dvh - 116px))", "border-radius": "16px",
    "box-shadow": "0 12px 44px rgb(0 0 0 / 24%)",
  });
  const button = style(document.createElement("button"), {
    position: "fixed", bottom: "20px", [side === "left" ? "left" : "right"]: "20px", "z-index": "2147483000", width: "56px", height: "56px", border: "0",
    "border-radius": "50%", cursor: "pointer", display: "grid", "place-content": "center", "box-shadow": "0 4px 16px rgb(0 0 0 / 22%)",
  });
  button.type = "button";
  const icons = {
    closed: "M5 6.5h14v9.5h-7l-4.5 3.5v-3.5H5z",
    open: "M6.5 6.5l11 11M17.5 6.5l-11 11",
  };
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  for (const [name, value] of Object.entries({ viewBox: "0 0 24 24", width: "26", height: "26", fill: "none", stroke: "currentColor", "stroke-width": "1.9", "stroke-linecap": "round", "stroke-linejoin": "round", "aria-hidden": "true" })) svg.setAttribute(name, value);
  svg.append(path);
  button.append(svg);

  let frame;
  const paint = () => style(button, dark.matches ? { background: "#8ab8ea", color: "#10182a" } : { background: "#2c64ad", color: "#fff" });
  const show = (open) => {
    if (open && !frame) {
      frame = style(document.createElement("iframe"), { width: "100%", height: "100%", border: "0", display: "block" });
      frame.title = title;
      frame.allow = "microphone";
      frame.src = `${origin}/`;
      panel.append(frame);
    }
    panel.style.setProperty("display", open ? "block" : "none");
    path.setAttribute("d", icons[open ? "open" : "closed"]);
    button.setAttribute("aria-label", open ? closes : opens);
    button.setAttribute("aria-expanded", String(open));
    if (open) frame.focus();
  };
  const isOpen = () => button.getAttribute("aria-expanded") === "true";
  button.addEventListener("click", () => show(!isOpen()));
  const shut = () => {
    if (!isOpen()) return;
    show(false);
    button.focus();
  };
  addEventListener("keydown", (event) => event.key === "Escape" && shut());
  addEventListener("message", (event) => event.source === frame?.contentWindow && event.origin === origin && event.data === "foldback:close" && shut());
  dark.addEventListener("change", paint);
  paint();
  show(script.dataset.opened !== undefined);
  const place = () => document.body.append(panel, button);
  if (document.body) place();
  else addEventListener("DOMContentLoaded", place);
})();
