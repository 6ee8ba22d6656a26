/**
 * Leaves out of a row what it has no room for, least important first. How much fits depends on what is shown as much as on
 * the width, so no width alone can say it: the row is measured whenever either changes.
 */

/**
 * Keeps `data-without` of a row at the shortest beginning of `order` that makes it fit; its styles hide what is named
 * there. An attachment: it ends with the element.
 */
export function leaveOut(order: readonly string[]): (row: HTMLElement) => () => void {
  return (row) => {
    const fit = (): void => {
      for (let count = 0; count <= order.length; count += 1) {
        row.dataset["without"] = order.slice(0, count).join(" ");
        if (row.scrollWidth <= row.clientWidth) return;
      }
    };
    const resized = new ResizeObserver(fit);
    resized.observe(row);
    const changed = new MutationObserver(fit);
    changed.observe(row, { subtree: true, childList: true, characterData: true });
    // jsdom has no fonts; in a browser words are wider or narrower once theirs is there.
    void document.fonts?.ready.then(fit);
    fit();
    return () => {
      resized.disconnect();
      changed.disconnect();
    };
  };
}
